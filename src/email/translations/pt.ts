import type { Translation } from '../mail-texts.ts';

export const pt: Translation = {
  direction: 'ltr',
  common: {
    unnamedMerchant: 'esta empresa',
    greeting: 'Olá, {name},',
    greetingWithoutName: 'Olá,',
    bareLink: 'Se o botão não funcionar, copie este endereço para o seu navegador:',
    steps: {
      reminder: {
        subject: 'Lembrete: {subject}',
        lead: 'Já lhe escrevemos antes: o valor de {amount} continua em aberto.',
      },
      last: {
        subject: 'Último lembrete: {subject}',
        lead: 'Este é o nosso último lembrete: o valor de {amount} continua em aberto.',
      },
    },
    details: ['Assinatura: {plan}', 'Forma de pagamento: {card}'],
    consequences: {
      cancel: 'Se o pagamento não for feito até {day}, a sua assinatura será cancelada.',
      pause: 'Se o pagamento não for feito até {day}, a sua assinatura será suspensa.',
      may_stop: 'Se o pagamento continuar em aberto, a sua assinatura poderá ser interrompida.',
    },
    several: {
      opening: 'Os seus pagamentos a {merchant} não foram concluídos. O total é de {amount}.',
      pays: 'Um único cartão novo paga todos eles.',
      consequences: {
        cancel: 'Se os pagamentos não forem feitos até {day}, as suas assinaturas serão canceladas.',
        pause: 'Se os pagamentos não forem feitos até {day}, as suas assinaturas serão suspensas.',
        may_stop: 'Se os pagamentos continuarem em aberto, as suas assinaturas poderão ser interrompidas.',
      },
    },
    otherMethod: {
      subject: 'Atualize a sua forma de pagamento: {amount} para {merchant}',
      heading: 'Atualize a sua forma de pagamento',
      ask: 'Pedimos que verifique a sua forma de pagamento ou adicione outra. Assim que os dados estiverem atualizados, tentaremos novamente o pagamento; não será necessário fazer mais nada.',
      button: 'Atualizar a minha forma de pagamento',
      secure:
        'Os dados de pagamento são inseridos numa página segura da Stripe, a empresa que processa os nossos pagamentos. Nunca os pediremos por e-mail.',
      pays: 'Uma única forma de pagamento nova paga todos eles.',
      page: {
        line: 'Não foi possível concluir um pagamento a {merchant}. Verifique a sua forma de pagamento ou adicione outra, e tentaremos novamente o pagamento.',
        note: 'A página seguinte é da Stripe, a empresa que processa os nossos pagamentos. Só a Stripe recebe os seus dados de pagamento.',
      },
    },
  },
  mails: {
    card_update: {
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
    },
    confirm_payment: {
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
    },
    backup_charged: {
      subject: '{amount} para {merchant}: foi cobrado o seu outro cartão',
      preview: 'O cartão terminado em {failed} não funcionou e foi cobrado o terminado em {charged}.',
      heading: 'Foi cobrado o seu outro cartão',
      opening: [
        'O seu pagamento de {amount} a {merchant} não foi concluído com o cartão terminado em {failed}.',
        'Foi cobrado no seu outro cartão guardado, o terminado em {charged}. Já não há nada em dívida.',
        'Da próxima vez, volta a ser cobrado o cartão terminado em {failed}. Escolha outro se não o desejar.',
      ],
      button: 'Escolher o meu cartão',
      closing: [
        'A ligação funciona até {until} e destina-se apenas a si. Não a partilhe, por favor.',
        'Não era o que pretendia? Responda a este e-mail e {merchant} ajuda.',
      ],
    },
    paid_otherwise: {
      subject: 'Obrigado: o seu pagamento de {amount} a {merchant} foi efetuado',
      preview: 'Escolha o que é cobrado da próxima vez.',
      heading: 'Obrigado pelo seu pagamento',
      opening: [
        'O seu pagamento de {amount} a {merchant} foi efetuado. Já não há nada em dívida.',
        'Da próxima vez será cobrado de novo o método de pagamento que não funcionou. Escolha o que deve ser cobrado a partir de agora.',
      ],
      button: 'Escolher o meu método de pagamento',
      closing: [
        'A ligação funciona até {until} e destina-se apenas a si. Não a partilhe, por favor.',
        'Dúvidas? Responda a este e-mail e {merchant} ajuda.',
      ],
    },
    expiring_card: {
      subject: 'O seu cartão terminado em {card} expira antes do próximo pagamento a {merchant}',
      preview: 'Adicione outro cartão para que nada seja interrompido.',
      heading: 'O seu cartão está prestes a expirar',
      opening: [
        'O seu cartão terminado em {card} expira antes da próxima cobrança de {merchant}.',
        'Indique a nova data ou escolha outro cartão para que nada seja interrompido. Se o seu banco já lhe enviou um cartão novo, demora um minuto.',
      ],
      button: 'Atualizar o meu cartão',
      closing: [
        'A ligação funciona até {until} e destina-se apenas a si. Não a partilhe, por favor.',
        'Os dados do cartão são introduzidos numa página segura da Stripe, o nosso prestador de pagamentos. Nunca os pediremos por e-mail.',
        'Dúvidas? Responda a este e-mail e {merchant} ajuda.',
      ],
    },
    missing_method: {
      subject: 'Adicione um método de pagamento antes do seu próximo pagamento a {merchant}',
      preview: 'Adicione um método de pagamento para que nada seja interrompido.',
      heading: 'Adicione um método de pagamento',
      opening: [
        'Não há nenhum método de pagamento que {merchant} possa cobrar no seu próximo pagamento.',
        'Adicione um para que nada seja interrompido. Não precisa de fazer mais nada.',
      ],
      button: 'Adicionar um método de pagamento',
      closing: [
        'A ligação funciona até {until} e destina-se apenas a si. Não a partilhe, por favor.',
        'Os dados de pagamento são inseridos numa página segura da Stripe, a empresa que processa os nossos pagamentos. Nunca os pediremos por e-mail.',
        'Dúvidas? Responda a este e-mail e {merchant} ajuda.',
      ],
    },
  },
  pages: {
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
        'Se guardou uma forma de pagamento, {merchant} irá usá-la para o pagamento em aberto. Não é necessário fazer mais nada.',
      ],
      notes: ['Pode fechar esta página.'],
    },
    choose: {
      title: 'Escolha o seu método de pagamento',
      lines: ['Escolha o método de pagamento que {merchant} vai cobrar a partir de agora.'],
      button: 'Continuar para a página segura',
      notes: [
        'A página seguinte é da Stripe, a empresa que processa os nossos pagamentos. Só a Stripe recebe os seus dados de pagamento.',
        'O link é válido até {until} e é pessoal.',
      ],
    },
    chosen: {
      title: 'Obrigado',
      lines: ['Se guardou um método de pagamento, {merchant} vai cobrá-lo a partir de agora.'],
      notes: [],
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
      lines: [
        'Não foi possível abrir a página segura. Nada foi alterado. Tente novamente dentro de momentos.',
      ],
      button: 'Tentar novamente',
      notes: [],
    },
    too_many: {
      title: 'Um momento, por favor',
      lines: ['Recebemos muitos pedidos da sua rede. Aguarde alguns minutos e abra novamente o link.'],
      notes: [],
    },
  },
};
