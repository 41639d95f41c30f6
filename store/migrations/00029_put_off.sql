-- +goose Up

-- What has not begun to wait for others and was put off, because an operation or a load is about it: it is looked at again when that is through.
CREATE INDEX instance_put_off ON instance (job, id) WHERE state = 'waiting' AND gate = 'time' AND wake > not_before;

-- +goose Down
DROP INDEX instance_put_off;
