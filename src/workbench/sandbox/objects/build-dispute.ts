import { nulls } from './nulls.ts';
import type { Charge, Dispute } from './wire.ts';

export function buildDispute(
  fields: Pick<Dispute, 'id' | 'created' | 'reason' | 'status'>,
  charge: Charge,
): Dispute {
  const card = charge.payment_method_details?.card;
  const isInquiry = fields.status.startsWith('warning_');
  return {
    ...fields,
    object: 'dispute',
    amount: charge.amount,
    balance_transactions: [],
    charge: charge.id,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: NO_EVIDENCE,
    evidence_details: {
      due_by: null,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: isInquiry,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    ...(card && {
      payment_method_details: {
        type: 'card',
        card: {
          brand: card.brand ?? 'unknown',
          case_type: isInquiry ? 'inquiry' : 'chargeback',
          network: card.network ?? 'unknown',
          network_reason_code: '10.4',
        },
      },
    }),
  };
}

const NO_EVIDENCE: Dispute['evidence'] = {
  ...nulls('access_activity_log billing_address cancellation_policy'),
  ...nulls('cancellation_policy_disclosure cancellation_rebuttal customer_communication'),
  ...nulls('customer_email_address customer_name customer_purchase_ip customer_signature'),
  ...nulls('duplicate_charge_documentation duplicate_charge_explanation duplicate_charge_id'),
  ...nulls('product_description receipt refund_policy refund_policy_disclosure'),
  ...nulls('refund_refusal_explanation service_date service_documentation shipping_address'),
  ...nulls('shipping_carrier shipping_date shipping_documentation shipping_tracking_number'),
  ...nulls('uncategorized_file uncategorized_text'),
  enhanced_evidence: {},
};
