create table {schema}.request partition of gx.request for values in ({genes});
create table {schema}.sent partition of gx.sent for values in ({genes});
create table {schema}.unlocking partition of gx.unlocking for values in ({genes});
