import { getAllCountries } from 'countries-and-timezones';
import fc from 'fast-check';
import { IANAZone } from 'luxon';
import { findTimeZone } from '../../../src/core/base/time-zones.ts';
import { anyCharacter } from '../../support/any-character.ts';

describe('findTimeZone', () => {
  test.each([
    ['FR', undefined, 'Europe/Paris'],
    ['GB', 'Scotland', 'Europe/London'],
    ['JP', undefined, 'Asia/Tokyo'],
    ['IN', 'Kerala', 'Asia/Kolkata'],
    ['de', undefined, 'Europe/Berlin'],
    [' ES ', undefined, 'Europe/Madrid'],
    ['RU', undefined, 'Europe/Moscow'],
    ['XK', undefined, 'Europe/Belgrade'],
  ])('findTimeZone takes the main zone of %p (state %p)', (country, state, zone) => {
    expect(findTimeZone({ country, state })).toBe(zone);
  });

  test.each([
    ['US', 'CA', 'America/Los_Angeles'],
    ['US', 'california', 'America/Los_Angeles'],
    ['US', ' Tx ', 'America/Chicago'],
    ['US', 'US-TX', 'America/Chicago'],
    ['US', 'Hawaii', 'Pacific/Honolulu'],
    ['US', 'AZ', 'America/Phoenix'],
    ['US', 'NY', 'America/New_York'],
    ['US', 'Washington, D.C.', 'America/New_York'],
    ['US', 'West Virginia', 'America/New_York'],
    ['US', 'North  Dakota', 'America/Chicago'],
    ['CA', 'CA-BC', 'America/Vancouver'],
    ['CA', 'Colombie-Britannique', 'America/Vancouver'],
    ['CA', 'nouvelle-ecosse', 'America/Halifax'],
    ['CA', 'Québec', 'America/Toronto'],
    ['CA', 'NL', 'America/St_Johns'],
    ['AU', 'WA', 'Australia/Perth'],
    ['AU', 'Queensland', 'Australia/Brisbane'],
    ['AU', 'NSW', 'Australia/Sydney'],
    ['BR', 'AM', 'America/Manaus'],
    ['BR', 'Rondonia', 'America/Porto_Velho'],
    ['BR', 'SP', 'America/Sao_Paulo'],
    ['MX', 'B.C.', 'America/Tijuana'],
    ['MX', 'B.C.S.', 'America/Mazatlan'],
    ['MX', 'Q. Roo', 'America/Cancun'],
    ['MX', 'CDMX', 'America/Mexico_City'],
  ])('findTimeZone refines %p by the state %p', (country, state, zone) => {
    expect(findTimeZone({ country, state })).toBe(zone);
  });

  test('findTimeZone keeps the main zone when the state is not known', () => {
    expect(findTimeZone({ country: 'US', state: 'Atlantis' })).toBe('America/New_York');
    expect(findTimeZone({ country: 'AU', state: '???' })).toBe('Australia/Sydney');
  });

  test.each([undefined, '', 'ZZ', 'USA', 'HM', '__proto__', 'toString', '\u0000', 'D€'])(
    'findTimeZone does not know the country %p',
    (country) => {
      expect(findTimeZone({ country })).toBeUndefined();
    },
  );

  test('findTimeZone gives a zone that Intl accepts for every inhabited country', () => {
    for (const { id, timezones } of Object.values(getAllCountries())) {
      if (timezones.length === 0) continue;
      expect([id, IANAZone.isValidZone(findTimeZone({ country: id }) ?? '')]).toEqual([id, true]);
    }
  });

  test('findTimeZone never throws', () => {
    const anything = fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom('US', 'CA', 'MX'));
    fc.assert(
      fc.property(anything, fc.string({ unit: anyCharacter }), (country, state) => {
        const zone = findTimeZone({ country, state });
        expect(zone === undefined || IANAZone.isValidZone(zone)).toBe(true);
      }),
    );
  });
});
