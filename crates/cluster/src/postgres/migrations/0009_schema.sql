-- What is trimmed is noted once per database.
select 1;
