import type { Translation } from '../email-texts.ts';

/** European Portuguese; `pt-BR` has a file of its own. */
export const pt: Translation = {
  direction: 'ltr',
  common: {
    unnamedMerchant: 'esta empresa',
    greeting: 'Olá, {name},',
    greetingWithoutName: 'Olá,',
    bareLink: 'Se o botão não funcionar, copie este endereço para o seu navegador:',
    closePage: 'Pode fechar esta página.',
    steps: {
      reminder: {
        subject: 'Lembrete: {subject}',
        lead: 'Já lhe tínhamos escrito: o valor de {amount} continua por pagar.',
      },
      last: {
        subject: 'Último lembrete: {subject}',
        lead: 'Este é o nosso último lembrete: o valor de {amount} continua por pagar.',
      },
    },
    details: ['Subscrição: {plan}', 'Fatura: {invoice}', 'Método de pagamento: {card}'],
    closing: {
      link: 'O link é válido até {until} e é pessoal. Por favor, não o reencaminhe.',
      card: 'Os dados do cartão são introduzidos numa página segura da Stripe, o nosso prestador de serviços de pagamento. Nunca os pediremos por e-mail.',
      method:
        'Os dados de pagamento são introduzidos numa página segura da Stripe, o nosso prestador de serviços de pagamento. Nunca os pediremos por e-mail.',
      confirm:
        'A confirmação é feita numa página segura da Stripe, o nosso prestador de serviços de pagamento. Nunca pediremos os dados do seu cartão por e-mail.',
      settled:
        'Tem alguma dúvida ou já tratou do pagamento? Responda a este e-mail e {merchant} terá todo o gosto em ajudar.',
      help: 'Tem alguma dúvida? Responda a este e-mail e {merchant} terá todo o gosto em ajudar.',
      unwanted: 'Não era o que pretendia? Responda a este e-mail e {merchant} terá todo o gosto em ajudar.',
    },
    consequences: {
      cancel: 'Se o pagamento não for efetuado até {day}, a sua subscrição será cancelada.',
      pause: 'Se o pagamento não for efetuado até {day}, a sua subscrição será suspensa.',
      may_stop: 'Se o pagamento continuar em falta, a sua subscrição poderá ser interrompida.',
    },
    several: {
      opening: 'Não foi possível efetuar os seus pagamentos a {merchant}. O total é de {amount}.',
      pays: 'Basta um cartão novo para todos os pagamentos.',
      consequences: {
        cancel: 'Se os pagamentos não forem efetuados até {day}, as suas subscrições serão canceladas.',
        pause: 'Se os pagamentos não forem efetuados até {day}, as suas subscrições serão suspensas.',
        may_stop: 'Se os pagamentos continuarem em falta, as suas subscrições poderão ser interrompidas.',
      },
    },
    lost: {
      owed: 'Ainda estão por pagar {amount}.',
      resumes:
        'Depois do pagamento, a sua subscrição recomeça no mesmo plano. O período seguinte é cobrado assim que o período pago terminar.',
      waived: 'Já não deve nada por este serviço.',
      pay: 'Pagar o valor em aberto',
      view: 'Ver a fatura',
    },
    otherMethod: {
      subject: 'Atualize o seu método de pagamento para {merchant} ({amount})',
      heading: 'Atualize o seu método de pagamento',
      ask: 'Pedimos-lhe que verifique o seu método de pagamento ou que adicione outro. Assim que estiver guardado, voltaremos a tentar o pagamento; não precisa de fazer mais nada.',
      button: 'Atualizar o meu método de pagamento',
      pays: 'Basta um método de pagamento novo para todos os pagamentos.',
      page: {
        line: 'Não foi possível efetuar um pagamento a {merchant}. Verifique o seu método de pagamento ou adicione outro, e voltaremos a tentar o pagamento.',
        note: 'A página seguinte é da Stripe, o nosso prestador de serviços de pagamento. Só a Stripe recebe os seus dados de pagamento.',
      },
    },
  },
  emails: {
    card_update: {
      subject: 'Atualize o seu cartão para {merchant} ({amount})',
      preview: 'Não foi possível efetuar o seu pagamento de {amount}.',
      heading: 'Atualize o seu cartão',
      opening: [
        'Não foi possível efetuar o seu pagamento de {amount} a {merchant}.',
        'Pedimos-lhe que verifique o seu cartão ou que adicione outro. Assim que estiver guardado, voltaremos a tentar o pagamento; não precisa de fazer mais nada.',
      ],
      button: 'Atualizar o meu cartão',
    },
    confirm_payment: {
      subject: 'Confirme o seu pagamento a {merchant} ({amount})',
      preview: 'O seu banco pede-lhe que confirme um pagamento de {amount}.',
      heading: 'Confirme o seu pagamento',
      opening: [
        'O seu banco pede-lhe que confirme o seu pagamento de {amount} a {merchant}.',
        'É rápido: abra a fatura, escolha o seu cartão e siga os passos indicados pelo seu banco. Não precisa de fazer mais nada.',
      ],
      button: 'Confirmar o meu pagamento',
    },
    failure_notice: {
      subject: 'Não foi possível efetuar o seu pagamento a {merchant}: {amount}',
      preview: 'Voltaremos a tentar. Por agora, não precisa de fazer nada.',
      heading: 'Não foi possível efetuar o seu pagamento',
      opening: [
        'Não foi possível efetuar o seu pagamento de {amount} a {merchant}.',
        'Voltaremos a tentar nos próximos dias. Se preferir pagar de outra forma, escolha outro método de pagamento e utilizaremos esse.',
      ],
      button: 'Escolher outro método de pagamento',
    },
    subscription_ended: {
      subject: 'A sua subscrição terminou: {merchant}',
      preview: 'O seu pagamento de {amount} não foi efetuado.',
      heading: 'A sua subscrição terminou',
      opening: [
        'O seu pagamento de {amount} a {merchant} não foi efetuado, pelo que a sua subscrição terminou.',
      ],
      button: 'Recomeçar',
    },
    subscription_paused: {
      subject: 'A sua subscrição está suspensa: {merchant}',
      preview: 'O seu pagamento de {amount} não foi efetuado.',
      heading: 'A sua subscrição está suspensa',
      opening: [
        'O seu pagamento de {amount} a {merchant} não foi efetuado, pelo que a sua subscrição está suspensa.',
      ],
      button: 'Continuar',
    },
    backup_charged: {
      subject: '{amount} a {merchant}: o pagamento foi feito com o seu outro cartão',
      preview:
        'O cartão terminado em {failed} não funcionou; o valor foi cobrado no cartão terminado em {charged}.',
      heading: 'O valor foi cobrado no seu outro cartão',
      opening: [
        'Não foi possível efetuar o seu pagamento de {amount} a {merchant} com o cartão terminado em {failed}.',
        'O valor foi cobrado no seu outro cartão guardado, o terminado em {charged}. Não há mais nada a pagar.',
        'Da próxima vez, o valor volta a ser cobrado no cartão terminado em {failed}. Se não for o que pretende, escolha outro.',
      ],
      button: 'Escolher o meu cartão',
    },
    paid_otherwise: {
      subject: 'Obrigado: recebemos o seu pagamento de {amount} a {merchant}',
      preview: 'Escolha o método de pagamento para a próxima vez.',
      heading: 'Obrigado pelo seu pagamento',
      opening: [
        'Recebemos o seu pagamento de {amount} a {merchant}. Não há mais nada a pagar.',
        'Da próxima vez, será usado de novo o método de pagamento que não funcionou. Escolha o que prefere usar a partir de agora.',
      ],
      button: 'Escolher o meu método de pagamento',
    },
    expiring_card: {
      subject: 'O seu cartão terminado em {card} expira antes do próximo pagamento a {merchant}',
      preview: 'Atualize o seu cartão para que nada seja interrompido.',
      heading: 'O seu cartão está prestes a expirar',
      opening: [
        'O seu cartão terminado em {card} expira antes da próxima cobrança de {merchant}.',
        'Indique a nova data de validade ou escolha outro cartão, para que nada seja interrompido. Se o seu banco já lhe enviou o cartão novo, demora apenas um minuto.',
      ],
      button: 'Atualizar o meu cartão',
    },
    missing_method: {
      subject: 'Adicione um método de pagamento antes do seu próximo pagamento a {merchant}',
      preview: 'Adicione um método de pagamento para que nada seja interrompido.',
      heading: 'Adicione um método de pagamento',
      opening: [
        'Não há nenhum método de pagamento guardado para o seu próximo pagamento a {merchant}.',
        'Adicione um para que nada seja interrompido. Não precisa de fazer mais nada.',
      ],
      button: 'Adicionar um método de pagamento',
    },
  },
  pauseOffer: {
    line: 'Em alternativa, pode suspender a sua subscrição.',
    button: 'Suspender a minha subscrição',
  },
  pages: {
    update: {
      title: 'Atualize o seu cartão',
      lines: [
        'Não foi possível efetuar um pagamento a {merchant}. Verifique o seu cartão ou adicione outro, e voltaremos a tentar o pagamento.',
        'Valor por pagar: {amount}',
      ],
      button: 'Continuar para a página segura',
      notes: [
        'A página seguinte é da Stripe, o nosso prestador de serviços de pagamento. Só a Stripe recebe os dados do seu cartão.',
        'O link é válido até {until} e é pessoal.',
      ],
    },
    thanks: {
      title: 'Obrigado',
      lines: [
        'Se guardou um método de pagamento, {merchant} irá usá-lo para o pagamento em falta. Não precisa de fazer mais nada.',
      ],
    },
    choose: {
      title: 'Escolha o seu método de pagamento',
      lines: ['Escolha o método de pagamento que {merchant} deve usar a partir de agora.'],
    },
    chosen: {
      title: 'Obrigado',
      lines: ['Se guardou um método de pagamento, {merchant} irá usá-lo a partir de agora.'],
    },
    paused: {
      title: 'Obrigado',
      lines: ['Se suspendeu a sua subscrição, não há novos pagamentos até ser retomada.'],
      notes: ['Um pagamento em aberto pode continuar a ser feito através do link no e-mail.'],
    },
    nothing_due: {
      title: 'Não há nada a pagar',
      lines: [
        'Este link dizia respeito a um pagamento a {merchant} que já não está em falta. Não precisa de fazer nada.',
      ],
    },
    expired: {
      title: 'Este link expirou',
      lines: [
        'Para sua segurança, o link só foi válido por tempo limitado, até {until}.',
        'Para receber um novo, responda ao e-mail em que o recebeu ou contacte {merchant}.',
      ],
    },
    renew: {
      line: 'Podemos enviar um novo para o endereço de e-mail que {merchant} tem registado.',
      button: 'Enviar-me um novo link',
    },
    renewed: {
      title: 'Consulte o seu e-mail',
      lines: [
        'Se o pagamento ainda estiver em falta, enviámos um novo link para o endereço de e-mail que {merchant} tem registado. Pode demorar alguns minutos.',
      ],
    },
    not_found: {
      title: 'Este link não funciona',
      lines: [
        'Talvez falte uma parte do endereço. Volte a abrir o link no e-mail ou copie-o por inteiro para o seu navegador.',
        'Se isso não ajudar, responda ao e-mail em que o recebeu.',
      ],
    },
    try_again: {
      title: 'Algo correu mal',
      lines: [
        'Não foi possível abrir a página segura. Nada foi alterado. Volte a tentar dentro de momentos.',
      ],
      button: 'Tentar novamente',
    },
    too_many: {
      title: 'Um momento, por favor',
      lines: ['Recebemos muitos pedidos da sua rede. Aguarde alguns minutos e volte a abrir o link.'],
    },
  },
};
