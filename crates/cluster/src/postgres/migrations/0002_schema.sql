-- What the parent tables got, each of their partitions has.
select 1;
