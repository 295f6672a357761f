/** From an empty folder to an installation that is known to work. */
import type { CommandEntry } from './command-entry.ts';
import { inLittleMemory } from './process/in-little-memory.ts';
import { serve } from './process/serve.ts';

export const SETUP_COMMANDS: readonly CommandEntry[] = [
  {
    name: 'init',
    group: 'Set up and run',
    description: 'ask for the settings of an installation, generate the secrets, and write a .env file',
    options: [
      ['--file <path>', 'the file to write (.env)'],
      ['--set <pairs...>', 'NAME=value: answers to questions'],
      ['--yes', 'ask nothing: use --set and the defaults'],
    ],
    environment: 'nothing',
    examples: ['init', 'init --yes --set STRIPE_SECRET_KEY=sk_test_… PUBLIC_URL=https://billing.example.com'],
    exitCodes: { 0: 'the file is written', 1: 'you stopped it', 2: 'an answer is not valid' },
    run: async (_args, options) => (await import('./init-command.ts')).runInit(options),
  },
  {
    name: 'connect',
    group: 'Set up and run',
    description: 'create or repair the webhook endpoint at Stripe, store its secret, and undo `disconnect`',
    options: [
      ['--file <path>', 'the file of settings that gets the secret (.env)'],
      ['--rotate', 'create a new endpoint with a new secret, even if the old one works'],
      [
        '--thin',
        'create an event destination for thin events instead; run it again once the process has its secret',
      ],
      ['--portal', 'create a billing portal configuration if customers cannot change their card yet'],
    ],
    environment: 'settings',
    examples: ['connect', 'connect --portal', 'connect --rotate', 'connect --thin'],
    run: async (_args, options) => (await import('./connect-command.ts')).runConnect(options),
  },
  {
    name: 'start',
    group: 'Set up and run',
    description: 'run the plugin as a server of its own',
    environment: 'settings',
    examples: ['start', 'PORT=80 start'],
    run: inLittleMemory(async () => (await import('./start-command.ts')).runStart()),
  },
  {
    name: 'doctor',
    group: 'Set up and run',
    description: 'check settings, key, webhooks, callbacks, email and more, and show how to fix problems',
    options: [
      ['--fix', 'fix what can be fixed from here: endpoint, portal, tables, who may read .env'],
      ['--json', 'print the findings as JSON'],
    ],
    environment: 'settings',
    examples: ['doctor', 'doctor --fix'],
    exitCodes: {
      0: 'no problem was found',
      1: 'something is to be fixed',
      2: 'the settings cannot be read',
    },
    run: async (_args, options) => (await import('./doctor-command.ts')).runDoctor(options),
  },
  {
    name: 'app',
    group: 'Set up and run',
    description:
      'write the Stripe App for this installation and upload it with the Stripe CLI, or take its signing secret',
    options: [
      ['--id <id>', 'unique among all apps of Stripe, as com.yourshop.payment-retry; kept when repeated'],
      ['--name <name>', 'as the Dashboard shows it (Payment Retry)'],
      ['--backend <url>', 'the server with the live key (PUBLIC_URL)'],
      ['--test-backend <url>', 'the server with a test key (the same)'],
      ['--public', 'for the marketplace: asks for the permissions that a hosted server uses'],
      ['--folder <path>', 'where to (stripe-app)'],
      ['--no-upload', 'write the folder only'],
      [
        '--secret',
        'read the signing secret from the terminal or a pipe, store it, and prove it on the server',
      ],
      ['--file <path>', 'the file of settings that gets the secret (.env)'],
    ],
    environment: 'settings',
    examples: ['app --id com.yourshop.payment-retry', 'app', 'app --secret'],
    exitCodes: { 1: 'the upload failed, or the running server does not know the secret yet' },
    run: async (_args, options) => (await import('./app-command.ts')).runApp(options),
  },
  {
    name: 'backfill',
    group: 'Set up and run',
    description:
      'read the existing data from Stripe and deliver it to the service; continues where it stopped',
    options: [
      ['--months <n>', 'how many months of invoices and payments to read (12)'],
      ['--account <id>', 'the connected account, if it is not your own'],
    ],
    environment: 'settings',
    examples: ['backfill', 'backfill --months 24'],
    exitCodes: { 0: 'everything was read and delivered', 1: 'something is left; run it again' },
    run: inLittleMemory(serve('backfill')),
  },
  {
    name: 'disconnect',
    group: 'Set up and run',
    description:
      'pause effects, wait for what is under way, give taken-over invoices back to Stripe, remove the webhook endpoint, and say what stays',
    options: [['--wait <seconds>', 'for what is under way at most (120)']],
    environment: 'settings',
    examples: ['disconnect', 'disconnect --wait 600'],
    exitCodes: {
      0: 'nothing happens at Stripe any more',
      1: 'something is left, or you stopped it: run it again; the endpoint stays',
    },
    run: async (_args, options) => (await import('./disconnect-command.ts')).runDisconnect(options),
  },
  {
    name: 'service',
    group: 'Set up and run',
    description: 'run the retry service alone, for plugins that name it in RETRY_SERVICE_URL',
    environment: 'settings',
    examples: ['service'],
    run: async () => (await import('./service-command.ts')).runService(),
  },
  {
    name: 'sandbox [act] [customer] [value]',
    group: 'Try',
    description: 'run a simulated Stripe account on this machine; charges nothing, needs no account',
    options: [['--port <n>', 'where (12111)']],
    environment: 'nothing',
    examples: [
      'sandbox',
      'sandbox --port 12112',
      'sandbox fail ada lost_card',
      'sandbox renew ada',
      'sandbox card ada',
      'sandbox cancel ada',
      'sandbox speed 1h',
      'sandbox next',
    ],
    exitCodes: { 1: 'no sandbox or playground answers', 2: 'it cannot do what it was told, and says why' },
    run: async (args, options) => (await import('./sandbox-command.ts')).runSandbox(args, options),
  },
  {
    name: 'rehearse',
    group: 'Try',
    description:
      'play a failed renewal, a retry and a new card on a Stripe test account, with a test clock; needs a test key',
    options: [['--keep', 'keep what it creates at Stripe']],
    environment: 'settings',
    examples: ['rehearse', 'rehearse --keep'],
    exitCodes: { 1: 'a step failed' },
    run: async (_args, options) => (await import('./rehearse-command.ts')).runRehearse(options),
  },
  {
    name: 'assess',
    group: 'Try',
    description: 'report on the failed renewals of an account so far; read-only, a restricted key is enough',
    options: [
      ['--months <n>', 'how many months back to read (12)'],
      ['--out <folder>', 'the folder for the report (assessment)'],
      ['--sandbox', 'on a simulated account, without a key'],
    ],
    environment: 'settings',
    examples: ['assess --sandbox', 'STRIPE_SECRET_KEY=rk_… assess --months 6'],
    run: inLittleMemory(async (_args, options) => (await import('./assess-command.ts')).runAssess(options)),
  },
];
