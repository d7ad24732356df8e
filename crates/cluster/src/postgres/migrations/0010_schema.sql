-- What a cluster is filled from is noted once per database.
select 1;
