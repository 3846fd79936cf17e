-- Format version 2: where the warps of a kernel spent their time. See engine/trace/SCHEMA.md.

-- A launch that was simulated, warp by warp, on one SM.
CREATE TABLE SIMSIGHT_PROFILES (
    id                          INTEGER   NOT NULL   PRIMARY KEY,
    cycles                      INTEGER   NOT NULL,  -- Simulated, of the SM's clock.
    share                       REAL      NOT NULL,  -- Of the warp instructions of an SM, those that were simulated: 0 to 1.
    warpCycles                  INTEGER   NOT NULL   -- The cycle up to which SIMSIGHT_WARP_STATES goes.
);

-- Launches by the profile that stands for them: their own, or that of one which did as much.
CREATE TABLE SIMSIGHT_KERNEL_PROFILES (
    kernel                      INTEGER   NOT NULL   PRIMARY KEY,  -- REFERENCES CUPTI_ACTIVITY_KIND_KERNEL(rowid)
    profile                     INTEGER   NOT NULL                 -- REFERENCES SIMSIGHT_PROFILES(id)
);

-- What each machine instruction did, in the whole grid. Counts are exact.
CREATE TABLE SIMSIGHT_INSTRUCTIONS (
    profile                     INTEGER   NOT NULL,  -- REFERENCES SIMSIGHT_PROFILES(id)
    instruction                 INTEGER   NOT NULL,  -- Place in the machine code, from 0.
    opcodeId                    INTEGER   NOT NULL,  -- REFERENCES StringIds(id)
    block                       INTEGER   NOT NULL,  -- Basic block, from 0.
    fileId                      INTEGER,             -- REFERENCES StringIds(id); NULL: no line of the program's own
    line                        INTEGER,             -- From 1.
    executed                    REAL      NOT NULL,  -- By warps (inst_executed).
    threads                     REAL      NOT NULL,  -- Active lanes of those, summed (thread_inst_executed).
    threadsOn                   REAL      NOT NULL,  -- Of these, with their predicate on (thread_inst_executed_true).
    sectors                     INTEGER   NOT NULL,  -- Of global and local memory, 32 bytes each.
    wavefronts                  INTEGER   NOT NULL,  -- Passes of shared memory.
    PRIMARY KEY (profile, instruction)
) WITHOUT ROWID;

-- Warp-cycles before the issue of an instruction, in the whole grid as far as the simulated SM stands for it.
CREATE TABLE SIMSIGHT_INSTRUCTION_STATES (
    profile                     INTEGER   NOT NULL,
    instruction                 INTEGER   NOT NULL,
    state                       INTEGER   NOT NULL,  -- REFERENCES ENUM_SIMSIGHT_WARP_STATE(id)
    cycles                      REAL      NOT NULL,
    PRIMARY KEY (profile, instruction, state)
) WITHOUT ROWID;

-- Blocks on the simulated SM.
CREATE TABLE SIMSIGHT_SM_BLOCKS (
    profile                     INTEGER   NOT NULL,
    block                       INTEGER   NOT NULL,  -- Number in the grid: x first, then y, then z.
    start                       INTEGER   NOT NULL,  -- (cycles)
    end                         INTEGER,             -- (cycles) NULL: the simulation ended before it did.
    PRIMARY KEY (profile, block)
) WITHOUT ROWID;

-- What the warp slots of the simulated SM did, from cycle 0 on. Bytes: see engine/trace/SCHEMA.md.
CREATE TABLE SIMSIGHT_WARP_STATES (
    profile                     INTEGER   NOT NULL,
    slot                        INTEGER   NOT NULL,
    states                      BLOB      NOT NULL,
    PRIMARY KEY (profile, slot)
) WITHOUT ROWID;

CREATE TABLE ENUM_SIMSIGHT_WARP_STATE (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_SIMSIGHT_WARP_STATE (id, name, label) VALUES
    (0, 'selected', 'Selected'),
    (1, 'not_selected', 'Not Selected'),
    (2, 'wait', 'Wait'),
    (3, 'short_scoreboard', 'Short Scoreboard'),
    (4, 'long_scoreboard', 'Long Scoreboard'),
    (5, 'mio_throttle', 'MIO Throttle'),
    (6, 'lg_throttle', 'LG Throttle'),
    (7, 'math_pipe_throttle', 'Math Pipe Throttle'),
    (8, 'barrier', 'Barrier'),
    (9, 'branch_resolving', 'Branch Resolving'),
    (10, 'no_instruction', 'No Instruction'),
    (11, 'dispatch_stall', 'Dispatch Stall'),
    (12, 'drain', 'Drain'),
    (13, 'membar', 'Membar'),
    (14, 'sleeping', 'Sleeping'),
    (15, 'imc_miss', 'IMC Miss');
