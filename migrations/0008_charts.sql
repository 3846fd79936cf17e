-- Format version 8: charts of what GPUs did over time. See engine/trace/SCHEMA.md.

-- One curve: sums over cells of equal width, from the start of the trace on.
CREATE TABLE SIMSIGHT_CHARTS (
    device                      INTEGER   NOT NULL,
    series                      TEXT      NOT NULL,  -- See engine/trace/SCHEMA.md.
    width                       INTEGER   NOT NULL,  -- (ns) Of a cell.
    cells                       INTEGER   NOT NULL,
    most                        REAL      NOT NULL,  -- The largest value that any moment or cell has.
    data                        BLOB      NOT NULL   -- See engine/trace/SCHEMA.md.
);
