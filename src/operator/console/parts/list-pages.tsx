/** The ways on from a page of a list; nothing where there is none. */
export function ListPages({ first, next }: { first: string | undefined; next: string | undefined }) {
  if (first === undefined && next === undefined) return null;
  return (
    <nav aria-label="Pages of the list" class="pages">
      {first !== undefined && <a href={first}>First page</a>}
      {next !== undefined && (
        <a href={next} rel="next">
          Next page
        </a>
      )}
    </nav>
  );
}
