-- The concern of events that nobody took has another code.
update payment_retry.alerts set concern = 'undeliveredEvents' where concern = 'untoldEvents';
update payment_retry.host_events set detail = jsonb_set(detail, '{concern}', '"undeliveredEvents"')
where detail ->> 'concern' = 'untoldEvents';
