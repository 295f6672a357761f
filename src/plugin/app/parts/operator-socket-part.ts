import type { DatabaseLocation } from '../../../core/database/database.ts';
import type { OperatorSocket, SocketDeps } from '../commands/operator-socket.ts';
import type { Part } from '../life-cycle.ts';

/** Commands reach the process that has the embedded database through a socket, whose code only that process loads. */
export function createSocketPart(location: DatabaseLocation, deps: SocketDeps): Part {
  let socket: OperatorSocket | undefined;
  return {
    start: async () => {
      if (location.kind !== 'embedded') return;
      const { openOperatorSocket } = await import('../commands/operator-socket.ts');
      socket = await openOperatorSocket(location.directory, deps);
    },
    stop: () => socket?.stop(),
  };
}
