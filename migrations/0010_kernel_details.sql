-- Format version 10: which instructions warps issued, where their lanes accessed memory, and where they went at branches.
ALTER TABLE SIMSIGHT_WARP_CHUNKS ADD COLUMN issues BLOB;

CREATE TABLE SIMSIGHT_ACCESS_SAMPLES (
    profile                     INTEGER   NOT NULL,
    instruction                 INTEGER   NOT NULL,
    block                       INTEGER   NOT NULL,
    warp                        INTEGER   NOT NULL,
    space                       INTEGER   NOT NULL,  -- 1 global, 3 shared
    size                        INTEGER   NOT NULL,
    lanes                       INTEGER   NOT NULL,
    addresses                   BLOB      NOT NULL
);
CREATE INDEX SIMSIGHT_ACCESS_SAMPLES_PROFILE ON SIMSIGHT_ACCESS_SAMPLES (profile, instruction);

-- Lanes: NULL where they cannot be told.
CREATE TABLE SIMSIGHT_BRANCHES (
    profile                     INTEGER   NOT NULL,
    instruction                 INTEGER   NOT NULL,
    executed                    INTEGER   NOT NULL,
    diverged                    INTEGER   NOT NULL,
    taken                       INTEGER,
    notTaken                    INTEGER
);
CREATE INDEX SIMSIGHT_BRANCHES_PROFILE ON SIMSIGHT_BRANCHES (profile, instruction);

-- `bytes`: NULL where the launch decides; `rowBytes`: of arrays with several dimensions.
CREATE TABLE SIMSIGHT_SHARED_ARRAYS (
    profile                     INTEGER   NOT NULL,
    nameId                      INTEGER   NOT NULL,  -- REFERENCES StringIds(id)
    offset                      INTEGER   NOT NULL,
    bytes                       INTEGER,
    rowBytes                    INTEGER
);
CREATE INDEX SIMSIGHT_SHARED_ARRAYS_PROFILE ON SIMSIGHT_SHARED_ARRAYS (profile, offset);
