-- Format version 7: calls of the C library; what warps did over time is kept in chunks of a sub-partition, with levels of detail. What
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

-- How long the warps of the simulated SM together were in each state, over all that was simulated.
CREATE TABLE SIMSIGHT_WARP_MIX (
    profile                     INTEGER   NOT NULL   PRIMARY KEY,  -- REFERENCES SIMSIGHT_PROFILES(id)
    width                       INTEGER   NOT NULL,  -- (cycles) Of a cell.
    cells                       INTEGER   NOT NULL,
    data                        BLOB      NOT NULL   -- See engine/trace/SCHEMA.md.
);

-- Calls of the C library, which programs spend their waits in; recordings of Nsight Systems have them.
CREATE TABLE SIMSIGHT_SHAPES_OSRT (
    id                          INTEGER   NOT NULL   PRIMARY KEY,
    eventClass                  INTEGER   NOT NULL,
    globalTid                   INTEGER,
    nameId                      INTEGER   NOT NULL,  -- REFERENCES StringIds(id)
    returnValue                 INTEGER   NOT NULL,
    nestingLevel                INTEGER,
    callchainId                 INTEGER   NOT NULL,
    argumentsId                 INTEGER
);
CREATE TABLE SIMSIGHT_EVENTS_OSRT (
    start                       INTEGER   NOT NULL,  -- Since the start of its frame (ns).
    length                      INTEGER   NOT NULL,  -- (ns)
    shape                       INTEGER   NOT NULL   -- REFERENCES SIMSIGHT_SHAPES_OSRT(id)
);
CREATE TABLE SIMSIGHT_FRAMES_OSRT (
    id                          INTEGER   NOT NULL   PRIMARY KEY,  -- Of its events, without the last ten bits.
    start                       INTEGER   NOT NULL                  -- Of the first (ns).
);
CREATE VIEW OSRT_API AS SELECT
    f.start + e.start AS start, f.start + e.start + e.length AS end, s.eventClass, s.globalTid, s.nameId, s.returnValue,
    s.nestingLevel, s.callchainId, s.argumentsId, e.rowid AS rowid
FROM SIMSIGHT_EVENTS_OSRT e CROSS JOIN SIMSIGHT_FRAMES_OSRT f ON f.id = e.rowid >> 10
CROSS JOIN SIMSIGHT_SHAPES_OSRT s ON s.id = e.shape;
