-- Format version 7: what warps did over time is kept in chunks of a sub-partition, with levels of detail. What
-- SIMSIGHT_WARP_STATES held is packed anew by engine/trace/warp-table.ts.

CREATE TABLE SIMSIGHT_WARP_CHUNKS (
    profile                     INTEGER   NOT NULL,  -- REFERENCES SIMSIGHT_PROFILES(id)
    sm                          INTEGER   NOT NULL,
    subPartition                INTEGER   NOT NULL,
    slots                       INTEGER   NOT NULL,  -- Warp slots of the sub-partition: slot n of the SM is in sub-partition n modulo their number.
    resolution                  INTEGER   NOT NULL,  -- (cycles) Width of the cells whose sums are kept; 0: every state as it was.
    start                       INTEGER   NOT NULL,  -- (cycles)
    end                         INTEGER   NOT NULL,  -- (cycles)
    intervals                   INTEGER   NOT NULL,  -- That start in it.
    data                        BLOB      NOT NULL   -- See engine/trace/SCHEMA.md.
);
CREATE INDEX SIMSIGHT_WARP_CHUNKS_PROFILE ON SIMSIGHT_WARP_CHUNKS (profile);
