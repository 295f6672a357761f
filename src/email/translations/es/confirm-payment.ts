import type { MailTexts } from '../../mail-texts.ts';

export const confirmPayment: MailTexts = {
  subject: 'Por favor, confirme su pago: {amount} a {merchant}',
  preview: 'Su banco le pide que confirme un pago de {amount}.',
  heading: 'Por favor, confirme su pago',
  opening: [
    'Su banco le pide que confirme su pago de {amount} a {merchant}.',
    'Solo le llevará un momento: abra la factura, elija su tarjeta y siga los pasos que le indique su banco. No tendrá que hacer nada más.',
  ],
  button: 'Confirmar mi pago',
  closing: [
    'La confirmación se realiza en una página segura de Stripe, nuestro proveedor de pagos. Nunca le pediremos los datos de su tarjeta por correo electrónico.',
    '¿Tiene alguna pregunta o ya está todo resuelto? Responda a este correo y {merchant} le ayudará.',
  ],
};
