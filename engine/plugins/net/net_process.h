// Id of the process that uses the sockets.
#ifndef NET_PROCESS_H
#define NET_PROCESS_H

// Returns the id of this process.
long net_process_id(void);

#endif
