#ifndef EASEL_REMOTE_PICTURE_H
#define EASEL_REMOTE_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

// The widget `EaselRemotePicture` for programs in C and for files of GtkBuilder. It shows the picture of a URL.
//
// Properties: `uri` (text), `content-fit` (GtkContentFit) and `alternative-text` (text). A new `uri` cancels the load of the
// one before; NULL clears the picture. A part of the program in Swift sets `RemotePicture.manager`, which loads pictures.

typedef struct _GtkWidget GtkWidget;

#ifdef __cplusplus
extern "C" {
#endif

// Makes the type known, so that GtkBuilder finds it by its name. Call it after gtk_init and before a file is read. False if
// there is no GTK of version 4.8 or later.
bool easel_remote_picture_register(void);

// The type; 0 if it is not registered.
size_t easel_remote_picture_get_type(void);

// A widget that shows the picture of a URL, or nothing if it is NULL. The type must be registered.
GtkWidget *easel_remote_picture_new(const char *uri);

#ifdef __cplusplus
}
#endif

#endif
