-- What checks note is one per database.
select 1;
