"""Connections to JMS providers over AMQP 1.0. The only room that imports proton, which the extra ``amqp`` installs."""
