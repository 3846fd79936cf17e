-- Format version 12: of each machine instruction what it reads and writes, how often lanes were missing, and how many wavefronts there
-- would be without bank conflicts. NULL in recordings of earlier versions.
ALTER TABLE SIMSIGHT_INSTRUCTIONS ADD COLUMN operands TEXT;
ALTER TABLE SIMSIGHT_INSTRUCTIONS ADD COLUMN partial REAL;           -- Executions with fewer than 32 lanes whose predicate was on.
ALTER TABLE SIMSIGHT_INSTRUCTIONS ADD COLUMN idealWavefronts INTEGER;
