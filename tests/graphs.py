"""The graph that a function is compiled to."""
import dynamo_lite as dl


def graph_of(function, *args, fullgraph=True, dynamic=None):
    """That of one call, which it is enough for; control flow included."""
    graphs = []

    def keep(graph, inputs):
        graphs.append(graph)
        return graph

    dl.compile(function, backend=keep, fullgraph=fullgraph, dynamic=dynamic)(*args)
    (graph,) = graphs
    return graph
