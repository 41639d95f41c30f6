-- +goose Up

-- What somebody did, among all that happens by itself.
CREATE INDEX event_act ON event (id) WHERE actor <> '' OR kind = 'load' OR kind = 'define';

-- By what an instance waits for less than was planned.
CREATE INDEX event_detach ON event (id) WHERE kind = 'detach';
