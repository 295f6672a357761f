import type { CardUpdatePages } from '../../page-texts.ts';

export const pages: CardUpdatePages = {
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
      'Si ha guardado una tarjeta, {merchant} la usará para el pago pendiente. No tiene que hacer nada más.',
    ],
    notes: ['Puede cerrar esta página.'],
  },
  nothing_due: {
    title: 'No hay nada pendiente',
    lines: [
      'Este enlace correspondía a un pago a {merchant} que ya no está pendiente. No tiene que hacer nada.',
    ],
    notes: ['Puede cerrar esta página.'],
  },
  expired: {
    title: 'Este enlace ha caducado',
    lines: [
      'Por su seguridad, el enlace solo era válido durante un tiempo limitado, hasta el {until}.',
      'Para recibir uno nuevo, responda al correo en el que venía o póngase en contacto con {merchant}.',
    ],
    notes: [],
  },
  not_found: {
    title: 'Este enlace no funciona',
    lines: [
      'Puede que falte una parte de la dirección. Abra de nuevo el enlace del correo o cópielo entero en su navegador.',
      'Si esto no ayuda, responda al correo en el que venía.',
    ],
    notes: [],
  },
  try_again: {
    title: 'Algo ha fallado',
    lines: [
      'No hemos podido abrir la página segura. No se ha cambiado nada. Vuelva a intentarlo dentro de un momento.',
    ],
    button: 'Volver a intentarlo',
    notes: [],
  },
  too_many: {
    title: 'Un momento, por favor',
    lines: ['Hemos recibido muchas solicitudes desde su red. Espere unos minutos y abra de nuevo el enlace.'],
    notes: [],
  },
};
