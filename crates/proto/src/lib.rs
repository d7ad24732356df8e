//! Generated code of the guanxi.v1 API and its typed client.
