/** The ways on from a page of a list; nothing where there is none. */
interface Ways {
  readonly first: string | undefined;
  readonly previous?: string | undefined;
  readonly next: string | undefined;
}

export function ListPages({ first, previous, next }: Ways) {
  if (first === undefined && previous === undefined && next === undefined) return null;
  return (
    <nav aria-label="Pages of the list" class="pages">
      {first !== undefined && <a href={first}>First page</a>}
      {previous !== undefined && (
        <a href={previous} rel="prev">
          Previous page
        </a>
      )}
      {next !== undefined && (
        <a href={next} rel="next">
          Next page
        </a>
      )}
    </nav>
  );
}
