import type { Request, RequestHandler, Response } from 'express';
import type { ComponentChildren } from 'preact';

export interface FramedPage {
  readonly title: string;
  readonly main: ComponentChildren;
  /** Besides the style of what stands around it. */
  readonly style: string;
}

/** What stands around a page that is served in more than one place, and who may read it. */
export interface PageFrame {
  /** Afterwards `operatorOf` names the operator. */
  readonly require: RequestHandler | RequestHandler[];
  /** With the status that the response has. */
  send(request: Request, response: Response, page: FramedPage): void | Promise<void>;
}
