import type { MailTexts } from '../../mail-texts.ts';

export const cardUpdate: MailTexts = {
  subject: 'Atualize o seu cartão: {amount} para {merchant}',
  preview: 'Não foi possível concluir o seu pagamento de {amount}.',
  heading: 'Atualize o seu cartão',
  opening: [
    'Não foi possível concluir o seu pagamento de {amount} a {merchant}.',
    'Pedimos que verifique o seu cartão ou adicione outro. Assim que os dados estiverem atualizados, tentaremos novamente o pagamento; não será necessário fazer mais nada.',
  ],
  button: 'Atualizar o meu cartão',
  closing: [
    'O link é válido até {until} e é pessoal. Por favor, não o encaminhe a outras pessoas.',
    'Os dados do cartão são inseridos numa página segura da Stripe, a empresa que processa os nossos pagamentos. Nunca os pediremos por e-mail.',
    'Tem alguma dúvida ou o pagamento já foi feito? Responda a este e-mail: {merchant} ajudará com todo o gosto.',
  ],
};
