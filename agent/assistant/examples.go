package assistant

// documentExamples are questions that mention documents, files, or sources. They keep such questions apart from
// stepsExamples.
var documentExamples = []string{
	"what documents do I need?", "which documents do I need to apply?", "how many documents do I need?", "which documents must I submit?",
	"which documents are required for A?",
	"which documents mention A?", "how many documents mention A?", "which document describes A?", "which manual describes A?",
	"what do the documents say about A?", "what does the manual say about A?",
	"what do you know about A?", "what can you tell me about A?", "tell me what you know about A", "do you have any documents about A?",
	"do you have information on A?", "where can I read about A?",
	"what is in your library path?", "what is in the library folder?", "which files are in the directory A?", "which files does A write?",
	"which files do I need to back up?", "how many files can A open?",
	"what is in the file A?", "what does the file A contain?", "how do I list all files?", "how do I list all documents?",
	"how do I show all files in a folder?", "how do I upload a document?", "how do I delete a file?", "how do I create a collection?",
	"how do I list collections?", "how do I show my files?",
	"what is a collection?", "what is a bot?", "what information do you need?", "what is a document?", "which collections does A support?",
	"how many collections can a database have?", "how many collections can there be?", "how many documents can I store?",
	"which sources of A are there?", "what are the sources of A?", "what data sources does it support?",
	"which topics does A publish?", "how do I subscribe to a topic?", "which libraries do I need?", "which library provides A?",
	"where are the documents stored?", "where are the files stored?", "where do I find the file A?",
	"which documents do I have to keep?", "how long do documents have to be kept?", "who may see the documents?", "who signs the documents?",
	"what is in the report?", "what have you read about A?",
	"which books are required?", "what subjects do I need?", "what has been changed in A?", "what was added in A?", "what is stored in A?",
	"what does A contain?", "what do I have to know about A?",
}

var stepsExamples = []string{
	"compare A and B", "compare A with B", "compare A, B and C", "compare A and B step by step", "contrast A with B",
	"compare these two documents", "compare what the documents say about this", "compare the first with the second in a table",
	"compare the advantages and disadvantages of both", "what are all the differences and similarities across the documents",
	"summarise across all documents", "summarise what all documents say about this", "summarise what the manuals say about A",
	"summarize everything the documents say about this", "find all that the manuals say about it and summarise it",
	"give me an overview of all documents", "list everything that the documents say about it",
	"go through all documents and list every mention", "look through every document and collect all of them",
	"first find one, then look up the other, and then compare them", "make a table that compares them", "write a report on this",
	"answer step by step", "work it out step by step", "do it step by step",
	"research this thoroughly", "do a thorough research on this", "I have several questions", "answer these questions one after the other",
}
