/** A task that falls due. `isCurrent` turns false when events overtook it (paid, canceled, moved). */
export interface DueTask {
  atMs: number;
  isCurrent: () => boolean;
  run: () => void;
}

interface Entry {
  order: number;
  task: DueTask;
}

/** Tasks by due time, earliest first; tasks due at the same instant keep their order. */
export function createDueQueue() {
  const heap: Entry[] = [];
  let order = 0;

  /** Overtaken tasks are dropped when they reach the top, which keeps cancelling free of cost. */
  function peek(): Entry | undefined {
    for (let top = heap[0]; top !== undefined; top = heap[0]) {
      if (top.task.isCurrent()) return top;
      removeTop(heap);
    }
    return undefined;
  }

  return {
    add(task: DueTask): void {
      order += 1;
      heap.push({ order, task });
      siftUp(heap, heap.length - 1);
    },
    /** The earliest task still current and due by then. */
    takeDue(nowMs: number): DueTask | undefined {
      const top = peek();
      if (top === undefined || top.task.atMs > nowMs) return undefined;
      removeTop(heap);
      return top.task;
    },
    nextAtMs: () => peek()?.task.atMs,
  };
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.task.atMs === b.task.atMs ? a.order < b.order : a.task.atMs < b.task.atMs;
}

function removeTop(heap: Entry[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  heap[0] = last;
  siftDown(heap);
}

function siftUp(heap: Entry[], start: number): void {
  for (let child = start; child > 0; ) {
    const parent = (child - 1) >>> 1;
    if (!swapIfBefore(heap, child, parent)) return;
    child = parent;
  }
}

function siftDown(heap: Entry[]): void {
  for (let parent = 0; ; ) {
    const left = 2 * parent + 1;
    const leftEntry = heap[left];
    const rightEntry = heap[left + 1];
    if (leftEntry === undefined) return;
    const child = rightEntry !== undefined && isBefore(rightEntry, leftEntry) ? left + 1 : left;
    if (!swapIfBefore(heap, child, parent)) return;
    parent = child;
  }
}

function swapIfBefore(heap: Entry[], child: number, parent: number): boolean {
  const childEntry = heap[child];
  const parentEntry = heap[parent];
  if (childEntry === undefined || parentEntry === undefined || !isBefore(childEntry, parentEntry))
    return false;
  heap[child] = parentEntry;
  heap[parent] = childEntry;
  return true;
}
