import type { Translation } from '../email-texts.ts';

export const ptBR: Translation = {
  direction: 'ltr',
  common: {
    unnamedMerchant: 'esta empresa',
    greeting: 'Olá, {name}!',
    greetingWithoutName: 'Olá!',
    bareLink: 'Se o botão não funcionar, copie este endereço e cole no seu navegador:',
    closePage: 'Você pode fechar esta página.',
    steps: {
      reminder: {
        subject: 'Lembrete: {subject}',
        lead: 'Já escrevemos para você antes: o valor de {amount} continua em aberto.',
      },
      last: {
        subject: 'Último lembrete: {subject}',
        lead: 'Este é o nosso último lembrete: o valor de {amount} continua em aberto.',
      },
    },
    details: ['Assinatura: {plan}', 'Fatura: {invoice}', 'Forma de pagamento: {card}'],
    closing: {
      link: 'O link é válido até {until} e é pessoal. Por favor, não o encaminhe a outras pessoas.',
      card: 'Você informa os dados do cartão em uma página segura da Stripe, a empresa que processa nossos pagamentos. Nunca pediremos esses dados por e-mail.',
      method:
        'Você informa os dados de pagamento em uma página segura da Stripe, a empresa que processa nossos pagamentos. Nunca pediremos esses dados por e-mail.',
      confirm:
        'A confirmação é feita em uma página segura da Stripe, a empresa que processa nossos pagamentos. Nunca pediremos os dados do seu cartão por e-mail.',
      settled:
        'Ficou com alguma dúvida ou já fez o pagamento? Responda a este e-mail e {merchant} vai ajudar você.',
      help: 'Ficou com alguma dúvida? Responda a este e-mail e {merchant} vai ajudar você.',
      unwanted: 'Não era isso que você queria? Responda a este e-mail e {merchant} vai ajudar você.',
    },
    consequences: {
      cancel: 'Se o pagamento não for feito até {day}, sua assinatura será cancelada.',
      pause: 'Se o pagamento não for feito até {day}, sua assinatura será pausada.',
      may_stop: 'Se o pagamento continuar em aberto, sua assinatura poderá ser interrompida.',
    },
    several: {
      opening: 'Não foi possível concluir seus pagamentos para {merchant}. O total é de {amount}.',
      pays: 'Basta um novo cartão para todos os pagamentos.',
      consequences: {
        cancel: 'Se os pagamentos não forem feitos até {day}, suas assinaturas serão canceladas.',
        pause: 'Se os pagamentos não forem feitos até {day}, suas assinaturas serão pausadas.',
        may_stop: 'Se os pagamentos continuarem em aberto, suas assinaturas poderão ser interrompidas.',
      },
    },
    lost: {
      owed: 'Ainda há {amount} em aberto.',
      resumes:
        'Depois do pagamento, sua assinatura recomeça no mesmo plano. O próximo período é cobrado assim que o período pago terminar.',
      waived: 'Você não deve mais nada por isso.',
      pay: 'Pagar o valor em aberto',
      view: 'Ver a fatura',
    },
    otherMethod: {
      subject: 'Atualize sua forma de pagamento para {merchant} ({amount})',
      heading: 'Atualize sua forma de pagamento',
      ask: 'Verifique sua forma de pagamento ou adicione outra. Assim que ela for salva, tentaremos o pagamento novamente; você não precisa fazer mais nada.',
      button: 'Atualizar forma de pagamento',
      pays: 'Basta uma nova forma de pagamento para todos os pagamentos.',
      page: {
        line: 'Não foi possível concluir um pagamento para {merchant}. Verifique sua forma de pagamento ou adicione outra, e tentaremos o pagamento novamente.',
        note: 'A próxima página é da Stripe, a empresa que processa nossos pagamentos. Somente a Stripe recebe seus dados de pagamento.',
      },
    },
  },
  emails: {
    card_update: {
      subject: 'Atualize seu cartão para {merchant} ({amount})',
      preview: 'Não foi possível concluir seu pagamento de {amount}.',
      heading: 'Atualize seu cartão',
      opening: [
        'Não foi possível concluir seu pagamento de {amount} para {merchant}.',
        'Verifique seu cartão ou adicione outro. Assim que ele for salvo, tentaremos o pagamento novamente; você não precisa fazer mais nada.',
      ],
      button: 'Atualizar cartão',
    },
    confirm_payment: {
      subject: 'Confirme seu pagamento para {merchant} ({amount})',
      preview: 'Seu banco pede que você confirme um pagamento de {amount}.',
      heading: 'Confirme seu pagamento',
      opening: [
        'Seu banco pede que você confirme o pagamento de {amount} para {merchant}.',
        'É rápido: abra a fatura, escolha seu cartão e siga as instruções do seu banco. Você não precisa fazer mais nada.',
      ],
      button: 'Confirmar pagamento',
    },
    failure_notice: {
      subject: 'Não foi possível concluir seu pagamento para {merchant}: {amount}',
      preview: 'Vamos tentar novamente. Por enquanto, você não precisa fazer nada.',
      heading: 'Não foi possível concluir seu pagamento',
      opening: [
        'Não foi possível concluir seu pagamento de {amount} para {merchant}.',
        'Vamos tentar novamente nos próximos dias. Se preferir pagar de outra forma, escolha outra forma de pagamento e usaremos essa.',
      ],
      button: 'Escolher outra forma de pagamento',
    },
    subscription_ended: {
      subject: 'Sua assinatura terminou: {merchant}',
      preview: 'Seu pagamento de {amount} não foi feito.',
      heading: 'Sua assinatura terminou',
      opening: ['Seu pagamento de {amount} para {merchant} não foi feito, por isso sua assinatura terminou.'],
      button: 'Recomeçar',
    },
    subscription_paused: {
      subject: 'Sua assinatura está pausada: {merchant}',
      preview: 'Seu pagamento de {amount} não foi feito.',
      heading: 'Sua assinatura está pausada',
      opening: [
        'Seu pagamento de {amount} para {merchant} não foi feito, por isso sua assinatura está pausada.',
      ],
      button: 'Continuar',
    },
    backup_charged: {
      subject: '{amount} para {merchant}: a cobrança foi feita no seu outro cartão',
      preview:
        'O cartão com final {failed} não funcionou, então a cobrança foi feita no cartão com final {charged}.',
      heading: 'A cobrança foi feita no seu outro cartão',
      opening: [
        'Não foi possível concluir seu pagamento de {amount} para {merchant} com o cartão com final {failed}.',
        'A cobrança foi feita no seu outro cartão salvo, com final {charged}. Não há mais nada em aberto.',
        'Na próxima vez, a cobrança será feita de novo no cartão com final {failed}. Se preferir, escolha outro.',
      ],
      button: 'Escolher cartão',
    },
    paid_otherwise: {
      subject: 'Obrigado! Recebemos seu pagamento de {amount} para {merchant}',
      preview: 'Escolha a forma de pagamento da próxima vez.',
      heading: 'Agradecemos o seu pagamento',
      opening: [
        'Recebemos seu pagamento de {amount} para {merchant}. Não há mais nada em aberto.',
        'Na próxima vez, será usada de novo a forma de pagamento que não funcionou. Escolha qual você prefere usar a partir de agora.',
      ],
      button: 'Escolher forma de pagamento',
    },
    expiring_card: {
      subject: 'Seu cartão com final {card} vence antes do próximo pagamento para {merchant}',
      preview: 'Atualize seu cartão para que nada seja interrompido.',
      heading: 'Seu cartão está perto de vencer',
      opening: [
        'Seu cartão com final {card} vence antes da próxima cobrança de {merchant}.',
        'Informe a nova data de validade ou escolha outro cartão, para que nada seja interrompido. Se o seu banco já enviou o novo cartão, leva apenas um minuto.',
      ],
      button: 'Atualizar cartão',
    },
    missing_method: {
      subject: 'Adicione uma forma de pagamento antes do próximo pagamento para {merchant}',
      preview: 'Adicione uma forma de pagamento para que nada seja interrompido.',
      heading: 'Adicione uma forma de pagamento',
      opening: [
        'Não há nenhuma forma de pagamento salva para o seu próximo pagamento para {merchant}.',
        'Adicione uma para que nada seja interrompido. Você não precisa fazer mais nada.',
      ],
      button: 'Adicionar forma de pagamento',
    },
  },
  pauseOffer: { line: 'Você também pode pausar sua assinatura.', button: 'Pausar minha assinatura' },
  pages: {
    update: {
      title: 'Atualize seu cartão',
      lines: [
        'Não foi possível concluir um pagamento para {merchant}. Verifique seu cartão ou adicione outro, e tentaremos o pagamento novamente.',
        'Valor em aberto: {amount}',
      ],
      button: 'Ir para a página segura',
      notes: [
        'A próxima página é da Stripe, a empresa que processa nossos pagamentos. Somente a Stripe recebe os dados do seu cartão.',
        'O link é válido até {until} e é pessoal.',
      ],
    },
    thanks: {
      title: 'Tudo certo, obrigado',
      lines: [
        'Se você salvou uma forma de pagamento, {merchant} vai usá-la para o pagamento em aberto. Você não precisa fazer mais nada.',
      ],
    },
    choose: {
      title: 'Escolha sua forma de pagamento',
      lines: ['Escolha a forma de pagamento que {merchant} vai usar a partir de agora.'],
    },
    chosen: {
      title: 'Tudo certo, obrigado',
      lines: ['Se você salvou uma forma de pagamento, {merchant} vai usá-la a partir de agora.'],
    },
    paused: {
      title: 'Tudo certo, obrigado',
      lines: ['Se você pausou sua assinatura, não haverá novos pagamentos até que ela seja retomada.'],
      notes: ['Um pagamento em aberto ainda pode ser feito pelo link do e-mail.'],
    },
    nothing_due: {
      title: 'Não há nada em aberto',
      lines: [
        'Este link era de um pagamento para {merchant} que não está mais em aberto. Você não precisa fazer nada.',
      ],
    },
    expired: {
      title: 'Este link expirou',
      lines: [
        'Para sua segurança, o link era válido por tempo limitado, até {until}.',
        'Para receber um novo, responda ao e-mail em que ele estava ou entre em contato com {merchant}.',
      ],
    },
    renew: {
      line: 'Podemos enviar um novo para o e-mail cadastrado em {merchant}.',
      button: 'Enviar um novo link',
    },
    renewed: {
      title: 'Confira seu e-mail',
      lines: [
        'Se o pagamento ainda estiver em aberto, um novo link está a caminho do e-mail cadastrado em {merchant}. Pode levar alguns minutos.',
      ],
    },
    not_found: {
      title: 'Este link não funciona',
      lines: [
        'Talvez falte uma parte do endereço. Abra de novo o link do e-mail ou copie o endereço inteiro no seu navegador.',
        'Se isso não ajudar, responda ao e-mail em que ele estava.',
      ],
    },
    try_again: {
      title: 'Algo deu errado',
      lines: [
        'Não foi possível abrir a página segura. Nada foi alterado. Tente novamente em alguns instantes.',
      ],
      button: 'Tentar novamente',
    },
    too_many: {
      title: 'Um momento, por favor',
      lines: ['Recebemos muitas solicitações da sua rede. Aguarde alguns minutos e abra o link novamente.'],
    },
  },
};
