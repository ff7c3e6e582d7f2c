#ifndef CEASEL_SERVICE_H
#define CEASEL_SERVICE_H

/// Opens a folder whose files may be read; returns a descriptor, or -1 with errno.
int easel_open_folder(const char *path);

/// Opens a file below a folder for reading; returns a descriptor, or -1 with errno.
///
/// No part of the path, and no link on the way, leads out of the folder: the kernel checks that while it walks, so nobody
/// can swap a part in between. An absolute link may name a file in the folder. A pipe or a device is opened without
/// waiting.
int easel_open_beneath(int folder, const char *path);

#endif
