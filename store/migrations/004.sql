-- Version 4: an engine goes by a new name, in old runs too; an accuracy says whether self pairs are in it.

UPDATE run SET spec = 'wmma' || substr(spec, length('wmma-ref') + 1)
WHERE engine = 'wmma-ref' AND (spec = 'wmma-ref' OR spec LIKE 'wmma-ref[%');
UPDATE run SET engine = 'wmma' WHERE engine = 'wmma-ref';
UPDATE target SET engine = 'wmma' WHERE engine = 'wmma-ref';
UPDATE sweep_point SET engine = 'wmma' WHERE engine = 'wmma-ref';

-- FASTED's authors count a point as a neighbour of itself in overlap and errors; this program leaves it out unless told.
ALTER TABLE accuracy ADD COLUMN self_pairs INTEGER NOT NULL DEFAULT 0 CHECK (self_pairs IN (0, 1));
