-- What is one for the whole cluster has no partitions.
select 1;
