import type { CardUpdatePages } from '../../page-texts.ts';

export const pages: CardUpdatePages = {
  update: {
    title: 'Atualize o seu cartão',
    lines: [
      'Não foi possível concluir um pagamento a {merchant}. Verifique o seu cartão ou adicione outro, e tentaremos novamente o pagamento.',
      'Valor em aberto: {amount}',
    ],
    button: 'Continuar para a página segura',
    notes: [
      'A página seguinte é da Stripe, a empresa que processa os nossos pagamentos. Só a Stripe recebe os dados do seu cartão.',
      'O link é válido até {until} e é pessoal.',
    ],
  },
  thanks: {
    title: 'Obrigado',
    lines: [
      'Se guardou um cartão, {merchant} irá usá-lo para o pagamento em aberto. Não é necessário fazer mais nada.',
    ],
    notes: ['Pode fechar esta página.'],
  },
  nothing_due: {
    title: 'Não há nada em aberto',
    lines: [
      'Este link era de um pagamento a {merchant} que já não está em aberto. Não é necessário fazer nada.',
    ],
    notes: ['Pode fechar esta página.'],
  },
  expired: {
    title: 'Este link expirou',
    lines: [
      'Para sua segurança, o link era válido apenas por tempo limitado, até {until}.',
      'Para receber um novo, responda ao e-mail em que o recebeu ou contacte {merchant}.',
    ],
    notes: [],
  },
  not_found: {
    title: 'Este link não funciona',
    lines: [
      'Talvez falte uma parte do endereço. Abra novamente o link no e-mail ou copie-o por inteiro para o seu navegador.',
      'Se isso não ajudar, responda ao e-mail em que o recebeu.',
    ],
    notes: [],
  },
  try_again: {
    title: 'Algo correu mal',
    lines: ['Não foi possível abrir a página segura. Nada foi alterado. Tente novamente dentro de momentos.'],
    button: 'Tentar novamente',
    notes: [],
  },
  too_many: {
    title: 'Um momento, por favor',
    lines: ['Recebemos muitos pedidos da sua rede. Aguarde alguns minutos e abra novamente o link.'],
    notes: [],
  },
};
