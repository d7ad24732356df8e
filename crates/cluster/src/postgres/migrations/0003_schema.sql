create table {schema}.account partition of gx.account for values in ({genes});
create table {schema}.login_name partition of gx.login_name for values in ({genes});
create table {schema}.password partition of gx.password for values in ({genes});
create table {schema}.contact_claim partition of gx.contact_claim for values in ({genes});
create table {schema}.external_id partition of gx.external_id for values in ({genes});
create table {schema}.signed_out partition of gx.signed_out for values in ({genes});
