/** Stripe's rules for the views, as they are. */
import stripe from '@stripe/ui-extension-tools/eslint.config.ui-extension.mjs';

export default [...stripe];
