import type { Translation } from '../email-texts.ts';

export const es: Translation = {
  direction: 'ltr',
  common: {
    unnamedMerchant: 'esta empresa',
    greeting: 'Hola, {name}:',
    greetingWithoutName: 'Hola:',
    bareLink: 'Si el botón no funciona, copie esta dirección en su navegador:',
    closePage: 'Puede cerrar esta página.',
    steps: {
      reminder: {
        subject: 'Recordatorio: {subject}',
        lead: 'Ya le habíamos escrito: el importe de {amount} sigue pendiente.',
      },
      last: {
        subject: 'Último recordatorio: {subject}',
        lead: 'Este es nuestro último recordatorio: el importe de {amount} sigue pendiente.',
      },
    },
    details: ['Suscripción: {plan}', 'Factura: {invoice}', 'Método de pago: {card}'],
    closing: {
      link: 'El enlace es válido hasta el {until} y es solo para usted. Por favor, no lo comparta.',
      card: 'Los datos de la tarjeta se introducen en una página segura de Stripe, nuestro proveedor de pagos. Nunca se los pediremos por correo electrónico.',
      method:
        'Los datos de pago se introducen en una página segura de Stripe, nuestro proveedor de pagos. Nunca se los pediremos por correo electrónico.',
      confirm:
        'La confirmación se realiza en una página segura de Stripe, nuestro proveedor de pagos. Nunca le pediremos los datos de su tarjeta por correo electrónico.',
      settled:
        '¿Tiene alguna pregunta o ya está todo resuelto? Responda a este correo y {merchant} le ayudará.',
      help: '¿Tiene alguna pregunta? Responda a este correo y {merchant} le ayudará.',
      unwanted: '¿No era lo que quería? Responda a este correo y {merchant} le ayudará.',
    },
    consequences: {
      cancel: 'Si no recibimos el pago a más tardar el {day}, su suscripción se cancelará.',
      pause: 'Si no recibimos el pago a más tardar el {day}, su suscripción se suspenderá.',
      may_stop: 'Si el pago sigue pendiente, su suscripción podría interrumpirse.',
    },
    several: {
      opening: 'No se han podido realizar sus pagos a {merchant}. Suman {amount} en total.',
      pays: 'Con una sola tarjeta nueva se pagan todos.',
      consequences: {
        cancel: 'Si no recibimos los pagos a más tardar el {day}, sus suscripciones se cancelarán.',
        pause: 'Si no recibimos los pagos a más tardar el {day}, sus suscripciones se suspenderán.',
        may_stop: 'Si los pagos siguen pendientes, sus suscripciones podrían interrumpirse.',
      },
    },
    lost: {
      owed: 'Quedan pendientes {amount}.',
      resumes:
        'Una vez pagado, su suscripción vuelve a empezar con el mismo plan. El siguiente periodo se cobra en cuanto termine el pagado.',
      waived: 'Ya no debe nada por este concepto.',
      pay: 'Pagar el importe pendiente',
      view: 'Ver la factura',
    },
    otherMethod: {
      subject: 'Actualice su método de pago para {merchant} ({amount})',
      heading: 'Por favor, actualice su método de pago',
      ask: 'Le rogamos que revise su método de pago o añada otro. En cuanto lo haya guardado, volveremos a intentar el pago; no tendrá que hacer nada más.',
      button: 'Actualizar mi método de pago',
      pays: 'Con un solo método de pago nuevo se pagan todos.',
      page: {
        line: 'No se ha podido realizar un pago a {merchant}. Revise su método de pago o añada otro, y volveremos a intentar el pago.',
        note: 'La página siguiente es de Stripe, nuestro proveedor de pagos. Solo Stripe recibe sus datos de pago.',
      },
    },
  },
  emails: {
    card_update: {
      subject: 'Actualice su tarjeta para {merchant} ({amount})',
      preview: 'No se ha podido realizar su pago de {amount}.',
      heading: 'Por favor, actualice su tarjeta',
      opening: [
        'No se ha podido realizar su pago de {amount} a {merchant}.',
        'Le rogamos que revise su tarjeta o añada otra. En cuanto la haya guardado, volveremos a intentar el pago; no tendrá que hacer nada más.',
      ],
      button: 'Actualizar mi tarjeta',
    },
    confirm_payment: {
      subject: 'Confirme su pago a {merchant} ({amount})',
      preview: 'Su banco le pide que confirme un pago de {amount}.',
      heading: 'Por favor, confirme su pago',
      opening: [
        'Su banco le pide que confirme su pago de {amount} a {merchant}.',
        'Solo le llevará un momento: abra la factura, elija su tarjeta y siga los pasos que le indique su banco. No tendrá que hacer nada más.',
      ],
      button: 'Confirmar mi pago',
    },
    failure_notice: {
      subject: 'No se ha podido realizar su pago a {merchant}: {amount}',
      preview: 'Volveremos a intentarlo. Por ahora no tiene que hacer nada.',
      heading: 'No se ha podido realizar su pago',
      opening: [
        'No se ha podido realizar su pago de {amount} a {merchant}.',
        'Volveremos a intentarlo en los próximos días. Si prefiere pagar de otra forma, elija otro método de pago y utilizaremos ese.',
      ],
      button: 'Elegir otro método de pago',
    },
    subscription_ended: {
      subject: 'Su suscripción con {merchant} ha finalizado',
      preview: 'Su pago de {amount} no se ha realizado.',
      heading: 'Su suscripción ha finalizado',
      opening: [
        'Su pago de {amount} a {merchant} no se ha realizado, por lo que su suscripción ha finalizado.',
      ],
      button: 'Volver a empezar',
    },
    subscription_paused: {
      subject: 'Su suscripción con {merchant} está suspendida',
      preview: 'Su pago de {amount} no se ha realizado.',
      heading: 'Su suscripción está suspendida',
      opening: [
        'Su pago de {amount} a {merchant} no se ha realizado, por lo que su suscripción está suspendida.',
      ],
      button: 'Continuar',
    },
    backup_charged: {
      subject: '{amount} a {merchant}: el cargo se ha hecho en su otra tarjeta',
      preview:
        'No se pudo usar la tarjeta terminada en {failed}; el cargo se ha hecho en la terminada en {charged}.',
      heading: 'El cargo se ha hecho en su otra tarjeta',
      opening: [
        'No se ha podido realizar su pago de {amount} a {merchant} con la tarjeta terminada en {failed}.',
        'El cargo se ha hecho en su otra tarjeta guardada, la terminada en {charged}. Ya no queda nada pendiente.',
        'La próxima vez, el cargo se volverá a hacer en la tarjeta terminada en {failed}. Si no lo desea, elija otra.',
      ],
      button: 'Elegir mi tarjeta',
    },
    paid_otherwise: {
      subject: 'Gracias: hemos recibido su pago de {amount} a {merchant}',
      preview: 'Elija el método de pago para la próxima vez.',
      heading: 'Gracias por su pago',
      opening: [
        'Hemos recibido su pago de {amount} a {merchant}. Ya no queda nada pendiente.',
        'La próxima vez, el cargo se volverá a hacer en el método de pago que no funcionó. Elija el que prefiera a partir de ahora.',
      ],
      button: 'Elegir mi método de pago',
    },
    expiring_card: {
      subject: 'Su tarjeta terminada en {card} caduca antes de su próximo pago a {merchant}',
      preview: 'Actualice su tarjeta para que no se interrumpa nada.',
      heading: 'Su tarjeta está a punto de caducar',
      opening: [
        'Su tarjeta terminada en {card} caduca antes del próximo cargo de {merchant}.',
        'Indique la nueva fecha de caducidad o elija otra tarjeta para que no se interrumpa nada. Si su banco ya le ha enviado la tarjeta nueva, solo le llevará un minuto.',
      ],
      button: 'Actualizar mi tarjeta',
    },
    missing_method: {
      subject: 'Añada un método de pago antes de su próximo pago a {merchant}',
      preview: 'Añada un método de pago para que no se interrumpa nada.',
      heading: 'Añada un método de pago',
      opening: [
        'No hay ningún método de pago guardado para su próximo pago a {merchant}.',
        'Añada uno para que no se interrumpa nada. No tiene que hacer nada más.',
      ],
      button: 'Añadir un método de pago',
    },
  },
  pauseOffer: { line: 'También puede suspender su suscripción.', button: 'Suspender mi suscripción' },
  pages: {
    update: {
      title: 'Actualice su tarjeta',
      lines: [
        'No se ha podido realizar un pago a {merchant}. Revise su tarjeta o añada otra, y volveremos a intentar el pago.',
        'Importe pendiente: {amount}',
      ],
      button: 'Continuar a la página segura',
      notes: [
        'La página siguiente es de Stripe, nuestro proveedor de pagos. Solo Stripe recibe los datos de su tarjeta.',
        'El enlace es válido hasta el {until} y es solo para usted.',
      ],
    },
    thanks: {
      title: 'Muchas gracias',
      lines: [
        'Si ha guardado un método de pago, {merchant} lo usará para el pago pendiente. No tiene que hacer nada más.',
      ],
    },
    choose: {
      title: 'Elija su método de pago',
      lines: ['Elija el método de pago que {merchant} usará a partir de ahora.'],
    },
    chosen: {
      title: 'Gracias',
      lines: ['Si ha guardado un método de pago, {merchant} lo usará a partir de ahora.'],
    },
    paused: {
      title: 'Muchas gracias',
      lines: ['Si ha suspendido su suscripción, no vencerá ningún pago nuevo hasta que se reanude.'],
      notes: ['Un pago pendiente puede hacerse todavía con el enlace del correo electrónico.'],
    },
    nothing_due: {
      title: 'No hay nada pendiente',
      lines: [
        'Este enlace correspondía a un pago a {merchant} que ya no está pendiente. No tiene que hacer nada.',
      ],
    },
    expired: {
      title: 'Este enlace ha caducado',
      lines: [
        'Por su seguridad, el enlace solo era válido durante un tiempo limitado, hasta el {until}.',
        'Para recibir uno nuevo, responda al correo en el que venía o póngase en contacto con {merchant}.',
      ],
    },
    renew: {
      line: 'Podemos enviarle uno nuevo a la dirección de correo electrónico que consta en {merchant}.',
      button: 'Enviarme un enlace nuevo',
    },
    renewed: {
      title: 'Revise su correo electrónico',
      lines: [
        'Si el pago sigue pendiente, le hemos enviado un enlace nuevo a la dirección de correo electrónico que consta en {merchant}. Puede tardar unos minutos.',
      ],
    },
    not_found: {
      title: 'Este enlace no funciona',
      lines: [
        'Puede que falte una parte de la dirección. Abra de nuevo el enlace del correo o cópielo entero en su navegador.',
        'Si esto no ayuda, responda al correo en el que venía.',
      ],
    },
    try_again: {
      title: 'Algo ha fallado',
      lines: [
        'No hemos podido abrir la página segura. No se ha cambiado nada. Vuelva a intentarlo dentro de un momento.',
      ],
      button: 'Volver a intentarlo',
    },
    too_many: {
      title: 'Un momento, por favor',
      lines: [
        'Hemos recibido muchas solicitudes desde su red. Espere unos minutos y abra de nuevo el enlace.',
      ],
    },
  },
};
