"""Redis: games as logs, bots, tournaments, callbacks, leases, queues, news. Nothing else talks to Redis."""
