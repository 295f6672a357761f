import type { MailTexts } from '../../mail-texts.ts';

export const cardUpdate: MailTexts = {
  subject: 'Por favor, actualice su tarjeta: {amount} a {merchant}',
  preview: 'No se ha podido realizar su pago de {amount}.',
  heading: 'Por favor, actualice su tarjeta',
  opening: [
    'No se ha podido realizar su pago de {amount} a {merchant}.',
    'Le rogamos que revise su tarjeta o añada otra. En cuanto la haya guardado, volveremos a intentar el pago; no tendrá que hacer nada más.',
  ],
  button: 'Actualizar mi tarjeta',
  closing: [
    'El enlace es válido hasta el {until} y es solo para usted. Por favor, no lo comparta.',
    'Los datos de la tarjeta se introducen en una página segura de Stripe, nuestro proveedor de pagos. Nunca se los pediremos por correo electrónico.',
    '¿Tiene alguna pregunta o ya está todo resuelto? Responda a este correo y {merchant} le ayudará.',
  ],
};
