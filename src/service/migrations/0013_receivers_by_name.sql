-- The plugin beside the service is called over loopback, and known by a name: what is known of its earlier address never ends.
delete from retry_service.callback_receivers;
