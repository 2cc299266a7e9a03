-- Version 4: an engine goes by a new name, in old runs too; an accuracy says whether self pairs are in it; targets and
-- sweeps keep the engine's options.

UPDATE run SET spec = 'wmma' || substr(spec, length('wmma-ref') + 1)
WHERE engine = 'wmma-ref' AND (spec = 'wmma-ref' OR spec LIKE 'wmma-ref[%');
UPDATE run SET engine = 'wmma' WHERE engine = 'wmma-ref';
UPDATE target SET engine = 'wmma' WHERE engine = 'wmma-ref';
UPDATE sweep_point SET engine = 'wmma' WHERE engine = 'wmma-ref';

-- FASTED's authors count a point as a neighbour of itself in overlap and errors; this program leaves it out unless told.
ALTER TABLE accuracy ADD COLUMN self_pairs INTEGER NOT NULL DEFAULT 0 CHECK (self_pairs IN (0, 1));

-- The options of the engine that found an ε or a curve, as run has them; NULL: from before they were kept.
ALTER TABLE target ADD COLUMN spec TEXT;
ALTER TABLE sweep_point ADD COLUMN spec TEXT;
