import type { Translation } from '../email-texts.ts';

/** The merchant's name is in the genitive's place: most names are not inflected, and `sprzedawcy` fits there. */
export const pl: Translation = {
  direction: 'ltr',
  common: {
    unnamedMerchant: 'sprzedawcy',
    greeting: 'Dzień dobry, {name}!',
    greetingWithoutName: 'Dzień dobry!',
    bareLink: 'Jeśli przycisk nie działa, skopiuj ten adres do przeglądarki:',
    closePage: 'Możesz zamknąć tę stronę.',
    steps: {
      reminder: {
        subject: 'Przypomnienie: {subject}',
        lead: 'Pisaliśmy już w tej sprawie: kwota {amount} nadal nie została opłacona.',
      },
      last: {
        subject: 'Ostatnie przypomnienie: {subject}',
        lead: 'To nasze ostatnie przypomnienie: kwota {amount} nadal nie została opłacona.',
      },
    },
    details: ['Subskrypcja: {plan}', 'Faktura: {invoice}', 'Metoda płatności: {card}'],
    closing: {
      link: 'Link jest ważny do {until} i przeznaczony wyłącznie dla Ciebie. Prosimy nie przekazywać go dalej.',
      card: 'Dane karty podajesz na bezpiecznej stronie firmy Stripe, naszego operatora płatności. Nigdy nie poprosimy o nie w e-mailu.',
      method:
        'Dane płatnicze podajesz na bezpiecznej stronie firmy Stripe, naszego operatora płatności. Nigdy nie poprosimy o nie w e-mailu.',
      confirm:
        'Płatność potwierdzasz na bezpiecznej stronie firmy Stripe, naszego operatora płatności. Nigdy nie poprosimy o dane karty w e-mailu.',
      settled:
        'Masz pytania albo sprawa jest już załatwiona? Odpowiedz na ten e-mail, a otrzymasz pomoc od {merchant}.',
      help: 'Masz pytania? Odpowiedz na ten e-mail, a otrzymasz pomoc od {merchant}.',
      unwanted: 'Nie o to chodziło? Odpowiedz na ten e-mail, a otrzymasz pomoc od {merchant}.',
    },
    consequences: {
      cancel: 'Jeśli płatność nie zostanie zrealizowana do {day}, Twoja subskrypcja zostanie anulowana.',
      pause: 'Jeśli płatność nie zostanie zrealizowana do {day}, Twoja subskrypcja zostanie wstrzymana.',
      may_stop: 'Jeśli płatność nie zostanie zrealizowana, Twoja subskrypcja może zostać wstrzymana.',
    },
    several: {
      opening: 'Twoje płatności dla {merchant} nie powiodły się. Łączna kwota to {amount}.',
      pays: 'Wystarczy jedna nowa karta do wszystkich płatności.',
      consequences: {
        cancel: 'Jeśli płatności nie zostaną zrealizowane do {day}, Twoje subskrypcje zostaną anulowane.',
        pause: 'Jeśli płatności nie zostaną zrealizowane do {day}, Twoje subskrypcje zostaną wstrzymane.',
        may_stop: 'Jeśli płatności nie zostaną zrealizowane, Twoje subskrypcje mogą zostać wstrzymane.',
      },
    },
    lost: {
      owed: 'Do zapłaty pozostaje {amount}.',
      resumes:
        'Po zapłacie Twoja subskrypcja zacznie się ponownie w tym samym planie. Opłata za kolejny okres zostanie pobrana, gdy skończy się opłacony.',
      waived: 'Nie ma już nic do zapłaty.',
      pay: 'Zapłać zaległą kwotę',
      view: 'Zobacz fakturę',
    },
    otherMethod: {
      subject: 'Zaktualizuj metodę płatności dla {merchant} ({amount})',
      heading: 'Prosimy o aktualizację metody płatności',
      ask: 'Prosimy sprawdzić metodę płatności lub dodać inną. Gdy zostanie zapisana, ponowimy próbę płatności. Nie trzeba robić nic więcej.',
      button: 'Zaktualizuj metodę płatności',
      pays: 'Wystarczy jedna nowa metoda płatności do wszystkich płatności.',
      page: {
        line: 'Płatność dla {merchant} nie powiodła się. Sprawdź metodę płatności lub dodaj inną, a ponowimy próbę płatności.',
        note: 'Następną stronę prowadzi Stripe, nasz operator płatności. Dane płatnicze otrzymuje wyłącznie Stripe.',
      },
    },
  },
  emails: {
    card_update: {
      subject: 'Zaktualizuj kartę dla {merchant} ({amount})',
      preview: 'Twoja płatność na kwotę {amount} nie powiodła się.',
      heading: 'Prosimy o aktualizację karty',
      opening: [
        'Twoja płatność na kwotę {amount} dla {merchant} nie powiodła się.',
        'Prosimy sprawdzić kartę lub dodać inną. Gdy zostanie zapisana, ponowimy próbę płatności. Nie trzeba robić nic więcej.',
      ],
      button: 'Zaktualizuj kartę',
    },
    confirm_payment: {
      subject: 'Potwierdź płatność dla {merchant} ({amount})',
      preview: 'Twój bank prosi o potwierdzenie płatności na kwotę {amount}.',
      heading: 'Prosimy o potwierdzenie płatności',
      opening: [
        'Twój bank prosi o potwierdzenie płatności na kwotę {amount} dla {merchant}.',
        'To zajmie tylko chwilę: otwórz fakturę, wybierz kartę i postępuj zgodnie ze wskazówkami banku. Nie trzeba robić nic więcej.',
      ],
      button: 'Potwierdź płatność',
    },
    failure_notice: {
      subject: 'Płatność dla {merchant} nie powiodła się: {amount}',
      preview: 'Spróbujemy ponownie. Na razie nie trzeba nic robić.',
      heading: 'Twoja płatność nie powiodła się',
      opening: [
        'Twoja płatność na kwotę {amount} dla {merchant} nie powiodła się.',
        'W najbliższych dniach ponowimy próbę płatności. Jeśli wolisz zapłacić inaczej, wybierz inną metodę płatności, a użyjemy właśnie jej.',
      ],
      button: 'Wybierz inną metodę płatności',
    },
    subscription_ended: {
      subject: 'Twoja subskrypcja zakończyła się: {merchant}',
      preview: 'Płatność na kwotę {amount} nie została dokonana.',
      heading: 'Twoja subskrypcja zakończyła się',
      opening: [
        'Płatność na kwotę {amount} dla {merchant} nie została dokonana, dlatego Twoja subskrypcja zakończyła się.',
      ],
      button: 'Zacznij ponownie',
    },
    subscription_paused: {
      subject: 'Twoja subskrypcja jest wstrzymana: {merchant}',
      preview: 'Płatność na kwotę {amount} nie została dokonana.',
      heading: 'Twoja subskrypcja jest wstrzymana',
      opening: [
        'Płatność na kwotę {amount} dla {merchant} nie została dokonana, dlatego Twoja subskrypcja jest wstrzymana.',
      ],
      button: 'Kontynuuj',
    },
    backup_charged: {
      subject: '{amount} dla {merchant}: obciążyliśmy Twoją inną kartę',
      preview: 'Karta o końcówce {failed} nie zadziałała, więc kwotę pobrano z karty o końcówce {charged}.',
      heading: 'Kwotę pobrano z Twojej innej karty',
      opening: [
        'Płatność na kwotę {amount} dla {merchant} nie powiodła się przy użyciu karty o końcówce {failed}.',
        'Kwotę pobrano z Twojej innej zapisanej karty o końcówce {charged}. Nie ma już nic do zapłaty.',
        'Następnym razem kwota zostanie ponownie pobrana z karty o końcówce {failed}. Jeśli tego nie chcesz, wybierz inną.',
      ],
      button: 'Wybierz kartę',
    },
    paid_otherwise: {
      subject: 'Dziękujemy: płatność na kwotę {amount} dla {merchant} została zrealizowana',
      preview: 'Wybierz metodę płatności na następny raz.',
      heading: 'Dziękujemy za płatność',
      opening: [
        'Twoja płatność na kwotę {amount} dla {merchant} została zrealizowana. Nie ma już nic do zapłaty.',
        'Następnym razem zostanie ponownie użyta metoda płatności, która nie zadziałała. Wybierz tę, której chcesz używać w przyszłości.',
      ],
      button: 'Wybierz metodę płatności',
    },
    expiring_card: {
      subject: 'Karta o końcówce {card} straci ważność przed następną płatnością dla {merchant}',
      preview: 'Zaktualizuj kartę, aby uniknąć przerwy.',
      heading: 'Twoja karta wkrótce straci ważność',
      opening: [
        'Twoja karta o końcówce {card} straci ważność przed następną płatnością dla {merchant}.',
        'Podaj nową datę ważności lub wybierz inną kartę, aby uniknąć przerwy. Jeśli masz już nową kartę z banku, zajmie to tylko minutę.',
      ],
      button: 'Zaktualizuj kartę',
    },
    missing_method: {
      subject: 'Dodaj metodę płatności przed następną płatnością dla {merchant}',
      preview: 'Dodaj metodę płatności, aby uniknąć przerwy.',
      heading: 'Prosimy o dodanie metody płatności',
      opening: [
        'Nie zapisano żadnej metody płatności na potrzeby Twojej następnej płatności dla {merchant}.',
        'Dodaj ją, aby uniknąć przerwy. Nie trzeba robić nic więcej.',
      ],
      button: 'Dodaj metodę płatności',
    },
  },
  pauseOffer: { line: 'Możesz też wstrzymać swoją subskrypcję.', button: 'Wstrzymaj moją subskrypcję' },
  pages: {
    update: {
      title: 'Zaktualizuj kartę',
      lines: [
        'Płatność dla {merchant} nie powiodła się. Sprawdź kartę lub dodaj inną, a ponowimy próbę płatności.',
        'Kwota do zapłaty: {amount}',
      ],
      button: 'Przejdź na bezpieczną stronę',
      notes: [
        'Następną stronę prowadzi Stripe, nasz operator płatności. Dane karty otrzymuje wyłącznie Stripe.',
        'Link jest ważny do {until} i przeznaczony wyłącznie dla Ciebie.',
      ],
    },
    thanks: {
      title: 'Dziękujemy',
      lines: [
        'Jeśli zapisano metodę płatności, zostanie ona użyta do zaległej płatności dla {merchant}. Nie trzeba robić nic więcej.',
      ],
    },
    choose: {
      title: 'Wybierz metodę płatności',
      lines: ['Wybierz metodę płatności, która od teraz będzie używana do płatności dla {merchant}.'],
    },
    chosen: {
      title: 'Dziękujemy',
      lines: ['Jeśli zapisano metodę płatności, od teraz będzie ona używana do płatności dla {merchant}.'],
    },
    paused: {
      title: 'Dziękujemy',
      lines: ['Jeśli subskrypcja została wstrzymana, nowe płatności nie będą naliczane do jej wznowienia.'],
      notes: ['Otwartą płatność nadal można wykonać za pomocą linku z e-maila.'],
    },
    nothing_due: {
      title: 'Nie ma nic do zapłaty',
      lines: [
        'Ten link dotyczył płatności dla {merchant}, która nie jest już zaległa. Nie trzeba nic robić.',
      ],
    },
    expired: {
      title: 'Ten link wygasł',
      lines: [
        'Ze względów bezpieczeństwa link był ważny tylko przez ograniczony czas, do {until}.',
        'Aby otrzymać nowy, odpowiedz na e-mail, w którym był link, lub skontaktuj się z działem obsługi {merchant}.',
      ],
    },
    renew: {
      line: 'Możemy wysłać nowy na adres e-mail zapisany u {merchant}.',
      button: 'Wyślij nowy link',
    },
    renewed: {
      title: 'Sprawdź swoją pocztę',
      lines: [
        'Jeśli płatność nadal jest zaległa, nowy link zostanie wysłany na adres e-mail zapisany u {merchant}. Może to potrwać kilka minut.',
      ],
    },
    not_found: {
      title: 'Ten link nie działa',
      lines: [
        'Być może brakuje części adresu. Otwórz ponownie link z e-maila lub skopiuj cały adres do przeglądarki.',
        'Jeśli to nie pomoże, odpowiedz na e-mail, w którym był link.',
      ],
    },
    try_again: {
      title: 'Coś poszło nie tak',
      lines: [
        'Nie udało się otworzyć bezpiecznej strony. Nic nie zostało zmienione. Spróbuj ponownie za chwilę.',
      ],
      button: 'Spróbuj ponownie',
    },
    too_many: {
      title: 'Prosimy chwilę poczekać',
      lines: ['Z Twojej sieci przyszło wiele zapytań. Odczekaj kilka minut, a potem otwórz link ponownie.'],
    },
  },
};
