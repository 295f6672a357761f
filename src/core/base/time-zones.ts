import { getCountry } from 'countries-and-timezones';

/** Most populous zone of each country with several, and of Kosovo, which the library lacks. */
const MAIN_ZONES = new Map(
  Object.entries({
    AQ: 'Antarctica/McMurdo',
    AR: 'America/Argentina/Buenos_Aires',
    AU: 'Australia/Sydney',
    BR: 'America/Sao_Paulo',
    CA: 'America/Toronto',
    CD: 'Africa/Kinshasa',
    CL: 'America/Santiago',
    CN: 'Asia/Shanghai',
    CY: 'Asia/Nicosia',
    DE: 'Europe/Berlin',
    EC: 'America/Guayaquil',
    ES: 'Europe/Madrid',
    FM: 'Pacific/Chuuk',
    GL: 'America/Nuuk',
    ID: 'Asia/Jakarta',
    KI: 'Pacific/Tarawa',
    KZ: 'Asia/Almaty',
    MH: 'Pacific/Majuro',
    MN: 'Asia/Ulaanbaatar',
    MX: 'America/Mexico_City',
    MY: 'Asia/Kuala_Lumpur',
    NZ: 'Pacific/Auckland',
    PF: 'Pacific/Tahiti',
    PG: 'Pacific/Port_Moresby',
    PS: 'Asia/Hebron',
    PT: 'Europe/Lisbon',
    RU: 'Europe/Moscow',
    TF: 'Indian/Kerguelen',
    UA: 'Europe/Kyiv',
    UM: 'Pacific/Wake',
    US: 'America/New_York',
    UZ: 'Asia/Tashkent',
    VN: 'Asia/Ho_Chi_Minh',
    XK: 'Europe/Belgrade',
  }),
);

/** Zones of states that differ from the country's main one, as `codes|name`; of two zones the more populous. */
const STATE_ZONES: Record<string, Record<string, string>> = {
  US: {
    'America/Chicago': `AL|Alabama, AR|Arkansas, IL|Illinois, IA|Iowa, KS|Kansas, LA|Louisiana, MN|Minnesota,
      MS|Mississippi, MO|Missouri, NE|Nebraska, ND|North Dakota, OK|Oklahoma, SD|South Dakota, TN|Tennessee,
      TX|Texas, WI|Wisconsin`,
    'America/Denver': 'CO|Colorado, MT|Montana, NM|New Mexico, UT|Utah, WY|Wyoming',
    'America/Boise': 'ID|Idaho',
    'America/Phoenix': 'AZ|Arizona',
    'America/Los_Angeles': 'CA|California, NV|Nevada, OR|Oregon, WA|Washington',
    'America/Anchorage': 'AK|Alaska',
    'Pacific/Honolulu': 'HI|Hawaii',
    'America/Detroit': 'MI|Michigan',
    'America/Indiana/Indianapolis': 'IN|Indiana',
    'America/Puerto_Rico': 'PR|Puerto Rico, VI|Virgin Islands|US Virgin Islands',
    'Pacific/Guam': 'GU|Guam, MP|Northern Mariana Islands',
    'Pacific/Pago_Pago': 'AS|American Samoa',
  },
  CA: {
    'America/Vancouver': 'BC|British Columbia|Colombie-Britannique',
    'America/Edmonton': 'AB|Alberta, NT|Northwest Territories|Territoires du Nord-Ouest',
    'America/Regina': 'SK|Saskatchewan',
    'America/Winnipeg': 'MB|Manitoba',
    'America/Halifax': `NS|Nova Scotia|Nouvelle-Écosse, PE|PEI|Prince Edward Island|Île-du-Prince-Édouard`,
    'America/Moncton': 'NB|New Brunswick|Nouveau-Brunswick',
    'America/St_Johns': 'NL|NF|Newfoundland and Labrador|Newfoundland|Terre-Neuve-et-Labrador',
    'America/Whitehorse': 'YT|YK|Yukon|Yukon Territory',
    'America/Iqaluit': 'NU|Nunavut',
  },
  AU: {
    'Australia/Melbourne': 'VIC|Victoria',
    'Australia/Brisbane': 'QLD|Queensland',
    'Australia/Adelaide': 'SA|South Australia',
    'Australia/Perth': 'WA|Western Australia',
    'Australia/Hobart': 'TAS|Tasmania',
    'Australia/Darwin': 'NT|Northern Territory',
  },
  BR: {
    'America/Rio_Branco': 'AC|Acre',
    'America/Manaus': 'AM|Amazonas',
    'America/Boa_Vista': 'RR|Roraima',
    'America/Porto_Velho': 'RO|Rondônia',
    'America/Cuiaba': 'MT|Mato Grosso',
    'America/Campo_Grande': 'MS|Mato Grosso do Sul',
    'America/Belem': 'PA|Pará, AP|Amapá',
    'America/Araguaina': 'TO|Tocantins',
    'America/Bahia': 'BA|Bahia',
    'America/Maceio': 'AL|Alagoas, SE|Sergipe',
    'America/Recife': 'PE|Pernambuco',
    'America/Fortaleza': 'CE|Ceará, MA|Maranhão, PI|Piauí, RN|Rio Grande do Norte, PB|Paraíba',
  },
  MX: {
    'America/Tijuana': 'BC|BCN|Baja California|Baja California Norte',
    'America/Mazatlan': 'BS|BCS|Baja California Sur, SI|SIN|Sinaloa, NA|NAY|Nayarit',
    'America/Hermosillo': 'SO|SON|Sonora',
    'America/Chihuahua': 'CH|CHH|CHIH|Chihuahua',
    'America/Cancun': 'QR|QROO|ROO|Quintana Roo',
  },
};

/** Longer than any state's name. */
const MAX_NAME_LENGTH = 60;

/**
 * The IANA zone of most people in a place, to choose a decent hour for emails. `country` is an ISO 3166 alpha-2 code, `state` free text as in
 * Stripe's addresses. Undefined for an unknown country.
 */
export function findTimeZone(place: {
  country?: string | undefined;
  state?: string | undefined;
}): string | undefined {
  const country = place.country?.trim().toUpperCase() ?? '';
  if (!/^[A-Z]{2}$/.test(country)) return undefined;
  return findStateZone(country, place.state) ?? MAIN_ZONES.get(country) ?? findOnlyZone(country);
}

function findStateZone(country: string, state = ''): string | undefined {
  const text = state.trim().slice(0, MAX_NAME_LENGTH);
  // `US-TX` is the ISO 3166-2 form of `TX`.
  const name = stateKey(text.toUpperCase().startsWith(`${country}-`) ? text.slice(3) : text);
  if (name === '') return undefined;
  for (const [zone, states] of Object.entries(STATE_ZONES[country] ?? {})) {
    if (states.split(/[,|]/).some((known) => stateKey(known) === name)) return zone;
  }
  return undefined;
}

/** Ignores case, accents, dots and spaces: `Q. Roo` and `qroo` are equal. */
function stateKey(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[^\p{L}]/gu, '')
    .toLowerCase();
}

/** A country with a second zone must be in the table: its first zone by alphabet is usually wrong. */
function findOnlyZone(country: string): string | undefined {
  const zones = getCountry(country)?.timezones ?? [];
  return zones.length === 1 ? zones[0] : undefined;
}
