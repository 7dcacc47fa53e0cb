"""What is known so far: values of nodes, whose memory they have, and who still reads them."""
