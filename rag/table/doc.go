// Package table reads the tables in the text of documents as rows of typed columns, and answers plain questions about them
// without a model. It computes nothing that a question does not clearly ask for.
package table
