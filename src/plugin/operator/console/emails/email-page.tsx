/** One email as it was sent: recipient, time, the mail server's answer, text and HTML. */
import type { RequestHandler } from 'express';
import { sendInFrame } from '../../../../core/web/page-protection.ts';
import { isRequest } from '../../../actions/action-kinds.ts';
import { findEmail, type StoredEmail } from '../../../store/reports/listed-emails.ts';
import { previewOperation } from '../../text/preview-operation.ts';
import { ID, notFound, type Page, type PageDeps } from '../page-answer.ts';
import { useReader } from '../page-reader.ts';
import { CustomerLink, Fact, Moment, pageOf } from '../parts/cells.tsx';
import { OperationForm } from '../parts/operation-form.tsx';
import { AboutLink, EmailStateChip, subjectOf } from './email-list.tsx';

export const emailPage: Page = async ({ database, operations }, { request }) => {
  const id = String(request.params.id);
  const email = ID.test(id) ? await findEmail(database, id) : undefined;
  if (!email)
    return notFound(
      'Unknown email',
      `No email ${id} is known.`,
      'It may have been deleted with its invoice.',
    );
  const { account, invoiceId: invoice, template } = email;
  const fields = invoice !== null && isRequest(template) ? { invoice, account, template } : undefined;
  const previewed = fields && (await previewOperation(operations, 'sendEmailAgain', fields));
  const main = (
    <>
      <div class="head">
        <h1>
          {subjectOf(email)} <EmailStateChip {...email} />
        </h1>
      </div>
      <Delivery {...email} />
      {fields && (
        <section class="card calm" aria-label="What can be done">
          <OperationForm name="sendEmailAgain" back={`emails/${id}`} {...{ fields, previewed }} />
        </section>
      )}
      <Content {...email} />
    </>
  );
  return { title: 'Email', here: 'emails', hasFrame: true, main };
};

function Delivery(email: StoredEmail) {
  const { named, invoiceId, subscriptionId, recipient, state, detail, sentAt, createdAt } = email;
  return (
    <section class="card calm">
      <h2>Delivery</h2>
      <dl class="facts">
        <Fact name="To">{recipient === '' ? 'The address is not kept any more' : recipient}</Fact>
        <Fact name="Customer">
          <CustomerLink {...email} customerEmail={null} />
        </Fact>
        <Fact name="About">
          {(invoiceId === null ? [subscriptionId] : named).map((id, position) => (
            <>
              {position > 0 && ', '}
              <AboutLink id={id} />
            </>
          ))}
        </Fact>
        <Fact name={state === 'sent' ? 'Sent' : 'Written'}>
          <Moment at={sentAt ?? createdAt} />
        </Fact>
        {detail !== null && <Fact name="Email server">{detail}</Fact>}
      </dl>
    </section>
  );
}

function Content({ id, subject, bodyText, bodyHtml }: StoredEmail) {
  const { root } = useReader();
  if (bodyText === null || bodyHtml === null)
    return (
      <p class="soft">
        What it said is not kept: it was sent before emails were kept, its time is over (
        <code>RETENTION_DAYS</code>), or its customer was forgotten.
      </p>
    );
  return (
    <>
      <section class="card calm">
        <h2>As it was sent</h2>
        <p class="soft">
          In the link, <code>*</code> stands for what opens the customer’s page. Links lead nowhere here.
        </p>
        <iframe
          class="email-frame"
          title={`The email: ${subject ?? ''}`}
          sandbox=""
          src={`${root}${pageOf('emails', id)}/body`}
        />
      </section>
      <section class="card calm">
        <h2>The same as text</h2>
        <pre class="email-text">{bodyText}</pre>
      </section>
    </>
  );
}

/** Sends an email for a frame, as a document of its own that can do nothing: without scripts, forms, links that lead anywhere, and everything from elsewhere but the merchant's own logo. */
export function sendEmailBody({ database, config }: PageDeps): RequestHandler {
  return async (request, response, next) => {
    const id = String(request.params.id);
    const email = ID.test(id) ? await findEmail(database, id) : undefined;
    if (!email?.bodyHtml) return next();
    sendInFrame(response, email.bodyHtml, { picture: config.emailLook.logoUrl });
  };
}
