/** One email as it was sent: recipient, time, the mail server's answer, text and HTML. */
import { isRequest } from '../../../actions/action-kinds.ts';
import type { StoredEmail } from '../../../store/reports/listed-emails.ts';
import type { OperationPreview } from '../../text/preview-operation.ts';
import type { Reader } from '../page-reader.ts';
import { CustomerLink, Fact } from '../parts/cells.tsx';
import { Moment } from '../parts/moment.tsx';
import { OperationForm } from '../parts/operation-form.tsx';
import { AboutLink, EmailStateChip, subjectOf } from './email-list-view.tsx';

export interface ShownEmail {
  readonly email: StoredEmail;
  readonly reader: Reader;
  /** What sending it again would do; undefined for one that is not sent again. */
  readonly previewed: OperationPreview | undefined;
  /** The session's token for forms. */
  readonly token: string;
}

export function EmailView({ email, previewed, reader, token }: ShownEmail) {
  const { named, id, template, invoiceId, subscriptionId, recipient, state, detail, sentAt, createdAt } =
    email;
  const shared = { token, reader, back: `emails/${id}` };
  return (
    <>
      <div class="head">
        <h1>
          {subjectOf(email)} <EmailStateChip state={state} />
        </h1>
      </div>
      <section class="card calm">
        <h2>Delivery</h2>
        <dl class="facts">
          <Fact name="To">{recipient === '' ? 'The address is not kept any more' : recipient}</Fact>
          <Fact name="Customer">
            <CustomerLink {...email} customerEmail={null} reader={reader} />
          </Fact>
          <Fact name="About">
            {(invoiceId === null ? [subscriptionId] : named).map((id, position) => (
              <>
                {position > 0 && ', '}
                <AboutLink id={id} reader={reader} />
              </>
            ))}
          </Fact>
          <Fact name={state === 'sent' ? 'Sent' : 'Written'}>
            <Moment at={sentAt ?? createdAt} reader={reader} />
          </Fact>
          {detail !== null && <Fact name="Email server">{detail}</Fact>}
        </dl>
      </section>
      {invoiceId !== null && isRequest(template) && (
        <section class="card calm" aria-label="What can be done">
          <OperationForm
            {...shared}
            name="sendEmailAgain"
            previewed={previewed}
            fields={{ invoice: invoiceId, account: email.account, template }}
          />
        </section>
      )}
      <Content email={email} reader={reader} />
    </>
  );
}

function Content({
  email: { id, subject, bodyText, bodyHtml },
  reader,
}: Pick<ShownEmail, 'email' | 'reader'>) {
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
          src={`${reader.root}emails/${encodeURIComponent(id)}/body`}
        />
      </section>
      <section class="card calm">
        <h2>The same as text</h2>
        <pre class="email-text">{bodyText}</pre>
      </section>
    </>
  );
}
