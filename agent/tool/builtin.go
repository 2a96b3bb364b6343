package tool

import "slices"

// builtIn are the names of docent's tools for documents, tables, workspaces, tasks, and facts.
var builtIn = []string{
	"search_knowledge", "read_document", "list_documents", "query_tables",
	"list_directory", "read_file", "write_file", "create_file", "delete_file",
	"add_tasks", "complete_task", "skip_task",
	"remember_fact", "recall_facts", "forget_fact",
}

// IsBuiltIn reports whether a name is that of a tool of docent itself.
func IsBuiltIn(name string) bool { return slices.Contains(builtIn, name) }
