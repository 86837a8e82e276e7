-- After a while another slime comes.
return { slime_due = {} }
