import type { MailTexts } from '../../mail-texts.ts';

export const confirmPayment: MailTexts = {
  subject: 'Confirme o seu pagamento: {amount} para {merchant}',
  preview: 'O seu banco pede que confirme um pagamento de {amount}.',
  heading: 'Confirme o seu pagamento',
  opening: [
    'O seu banco pede que confirme o seu pagamento de {amount} a {merchant}.',
    'É rápido: abra a fatura, escolha o seu cartão e siga os passos indicados pelo seu banco. Não será necessário fazer mais nada.',
  ],
  button: 'Confirmar o meu pagamento',
  closing: [
    'A confirmação é feita numa página segura da Stripe, a empresa que processa os nossos pagamentos. Nunca pediremos os dados do seu cartão por e-mail.',
    'Tem alguma dúvida ou o pagamento já foi feito? Responda a este e-mail: {merchant} ajudará com todo o gosto.',
  ],
};
