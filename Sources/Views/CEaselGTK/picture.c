#include <stdlib.h>
#include <string.h>

#include "gtk.h"

// The part of the instance behind that of GtkWidget, whose size is asked for when the type is registered.
struct picture {
  void *owner;
  char *uri, *alternative_text;
  easel_content_fit content_fit;
  GtkWidget *overlay;
  double overlay_share;
  bool ticks, is_gone;
  // True during an allocation, in which GTK loses requests for another size; they are kept in `wants_resize` until it is over.
  bool allocates, wants_resize;
  GtkEventController *click, *key;
};

static easel_picture_hooks hooks;
static size_t parent_size;
static GType picture_type;
static GtkWidgetClass *parent_class;
static GParamSpec *specs[4];

static struct picture *part_of(void *widget) { return (struct picture *)((char *)widget + parent_size); }

// MARK: Properties

static bool replace_text(char **text, const char *value) {
  if (value == *text || (value && *text && !strcmp(value, *text))) return false;
  char *old = *text;
  *text = easel_gtk.g_strdup(value);
  easel_gtk.g_free(old);
  return true;
}

static void changed(GtkWidget *widget, easel_picture_property property) {
  hooks.changed(part_of(widget)->owner, property);
  easel_gtk.g_object_notify_by_pspec(widget, specs[property]);
}

const char *easel_picture_uri(GtkWidget *widget) { return part_of(widget)->uri; }

void easel_picture_set_uri(GtkWidget *widget, const char *uri) {
  if (replace_text(&part_of(widget)->uri, uri)) changed(widget, EASEL_PICTURE_URI);
}

easel_content_fit easel_picture_content_fit(GtkWidget *widget) { return part_of(widget)->content_fit; }

void easel_picture_set_content_fit(GtkWidget *widget, easel_content_fit fit) {
  if (part_of(widget)->content_fit == fit) return;
  part_of(widget)->content_fit = fit;
  changed(widget, EASEL_PICTURE_CONTENT_FIT);
}

const char *easel_picture_alternative_text(GtkWidget *widget) { return part_of(widget)->alternative_text; }

void easel_picture_set_alternative_text(GtkWidget *widget, const char *text) {
  if (!replace_text(&part_of(widget)->alternative_text, text)) return;
  easel_gtk.gtk_accessible_update_property(widget, GTK_ACCESSIBLE_PROPERTY_LABEL, text ? text : "", -1);
  changed(widget, EASEL_PICTURE_ALTERNATIVE_TEXT);
}

static void set_property(GObject *object, unsigned property, const GValue *value, GParamSpec *spec) {
  (void)spec;
  GtkWidget *widget = (GtkWidget *)object;
  switch (property) {
  case EASEL_PICTURE_URI: easel_picture_set_uri(widget, easel_gtk.g_value_get_string(value)); break;
  case EASEL_PICTURE_CONTENT_FIT:
    easel_picture_set_content_fit(widget, (easel_content_fit)easel_gtk.g_value_get_enum(value));
    break;
  case EASEL_PICTURE_ALTERNATIVE_TEXT:
    easel_picture_set_alternative_text(widget, easel_gtk.g_value_get_string(value));
    break;
  }
}

static void get_property(GObject *object, unsigned property, GValue *value, GParamSpec *spec) {
  (void)spec;
  struct picture *self = part_of(object);
  switch (property) {
  case EASEL_PICTURE_URI: easel_gtk.g_value_set_string(value, self->uri); break;
  case EASEL_PICTURE_CONTENT_FIT: easel_gtk.g_value_set_enum(value, (int)self->content_fit); break;
  case EASEL_PICTURE_ALTERNATIVE_TEXT: easel_gtk.g_value_set_string(value, self->alternative_text); break;
  }
}

// MARK: Life

static void dispose(GObject *object) {
  struct picture *self = part_of(object);
  if (!self->is_gone) {
    self->is_gone = true;
    hooks.dispose(self->owner);
  }
  easel_picture_set_overlay((GtkWidget *)object, NULL, 0);
  parent_class->object.dispose(object);
}

static void finalize(GObject *object) {
  struct picture *self = part_of(object);
  hooks.destroy(self->owner);
  easel_gtk.g_free(self->uri);
  easel_gtk.g_free(self->alternative_text);
  parent_class->object.finalize(object);
}

static void map(GtkWidget *widget) {
  parent_class->map(widget);
  hooks.map(part_of(widget)->owner);
}

static void unmap(GtkWidget *widget) {
  hooks.unmap(part_of(widget)->owner);
  parent_class->unmap(widget);
}

// MARK: Layout

static int request_mode(GtkWidget *widget) {
  (void)widget;
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void measure_overlay(GtkWidget *overlay, int orientation, int for_size, int *natural) {
  int minimum = 0;
  easel_gtk.gtk_widget_measure(overlay, orientation, for_size, &minimum, natural, NULL, NULL);
}

static void measure(
  GtkWidget *widget, int orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
  int *natural_baseline) {
  (void)minimum_baseline, (void)natural_baseline;
  // It shrinks as far as it must, so that a picture never makes a window larger than it is.
  *minimum = 0;
  *natural = 0;
  hooks.measure(part_of(widget)->owner, orientation == 1, for_size, natural);
  GtkWidget *overlay = part_of(widget)->overlay;
  if (!overlay) return;
  int of_overlay = 0;
  measure_overlay(overlay, orientation, -1, &of_overlay);
  if (*natural < of_overlay) *natural = of_overlay;
}

static void allocate_overlay(GtkWidget *widget, int width, int height) {
  struct picture *self = part_of(widget);
  if (!self->overlay) return;
  int own_width = 0, own_height = 0;
  measure_overlay(self->overlay, 0, -1, &own_width);
  if (self->overlay_share > 0) {
    int share = (int)(width * self->overlay_share);
    if (share > own_width) own_width = share;
  }
  measure_overlay(self->overlay, 1, own_width, &own_height);
  const int place[4] = {(width - own_width) / 2, (height - own_height) / 2, own_width, own_height};
  easel_gtk.gtk_widget_size_allocate(self->overlay, place, -1);
}

static bool resize_later(void *widget) {
  easel_gtk.gtk_widget_queue_resize(widget);
  easel_gtk.g_object_unref(widget);
  return false;
}

static void size_allocate(GtkWidget *widget, int width, int height, int baseline) {
  (void)baseline;
  struct picture *self = part_of(widget);
  self->allocates = true;
  hooks.allocate(self->owner, width, height);
  self->allocates = false;
  // After the call, which may have put an indicator there.
  allocate_overlay(widget, width, height);
  if (!self->wants_resize) return;
  self->wants_resize = false;
  easel_gtk.g_object_ref(widget);
  easel_gtk_post(resize_later, widget);
}

static void direction_changed(GtkWidget *widget, int previous) {
  parent_class->direction_changed(widget, previous);
  easel_picture_redraw(widget);
}

static void snapshot(GtkWidget *widget, GtkSnapshot *snapshot) {
  struct picture *self = part_of(widget);
  int width = easel_picture_width(widget), height = easel_picture_height(widget);
  if (width > 0 && height > 0) hooks.snapshot(self->owner, snapshot, width, height);
  if (self->overlay) easel_gtk.gtk_widget_snapshot_child(widget, self->overlay, snapshot);
}

// MARK: The type

static void scale_changed(GtkWidget *widget, GParamSpec *spec, void *data) {
  (void)spec, (void)data;
  hooks.scale_changed(part_of(widget)->owner);
}

static void init_instance(void *instance, void *class) {
  (void)class;
  struct picture *self = part_of(instance);
  self->content_fit = EASEL_FIT_CONTAIN;
  self->owner = hooks.create(instance);
  easel_gtk.g_signal_connect_data(instance, "notify::scale-factor", (void (*)(void))scale_changed, NULL, NULL, 0);
}

static void init_class(void *class, void *data) {
  (void)data;
  GtkWidgetClass *widget = class;
  GObjectClass *object = class;
  parent_class = easel_gtk.g_type_class_peek_parent(class);
  object->set_property = set_property;
  object->get_property = get_property;
  object->dispose = dispose;
  object->finalize = finalize;
  widget->map = map;
  widget->unmap = unmap;
  widget->get_request_mode = request_mode;
  widget->measure = measure;
  widget->size_allocate = size_allocate;
  widget->direction_changed = direction_changed;
  widget->snapshot = snapshot;
  specs[EASEL_PICTURE_URI] = easel_gtk.g_param_spec_string(
    "uri", "URI", "The URL of the picture", NULL, (unsigned)G_PARAM_FLAGS);
  specs[EASEL_PICTURE_CONTENT_FIT] = easel_gtk.g_param_spec_enum(
    "content-fit", "Content fit", "How the picture takes its room", easel_gtk.gtk_content_fit_get_type(),
    EASEL_FIT_CONTAIN, (unsigned)G_PARAM_FLAGS);
  specs[EASEL_PICTURE_ALTERNATIVE_TEXT] = easel_gtk.g_param_spec_string(
    "alternative-text", "Alternative text", "The text for those who do not see the picture", NULL,
    (unsigned)G_PARAM_FLAGS);
  for (unsigned i = 1; i < 4; i++) easel_gtk.g_object_class_install_property(object, i, specs[i]);
  // The name that themes know of GtkPicture.
  easel_gtk.gtk_widget_class_set_css_name(widget, "picture");
  easel_gtk.gtk_widget_class_set_accessible_role(widget, GTK_ACCESSIBLE_ROLE_IMG);
}

void easel_picture_set_hooks(const easel_picture_hooks *wanted) {
  if (picture_type) return;
  hooks = *wanted;
  easel_gtk_note_thread();
  GTypeQuery query;
  easel_gtk.g_type_query(easel_gtk.gtk_widget_get_type(), &query);
  // A GTK whose class is another one than that of our declarations would be another library.
  if (query.class_size != sizeof(GtkWidgetClass)) abort();
  parent_size = (query.instance_size + 15) / 16 * 16;
  picture_type = easel_gtk.g_type_register_static_simple(
    easel_gtk.gtk_widget_get_type(), "EaselRemotePicture", query.class_size, init_class,
    (unsigned)(parent_size + sizeof(struct picture)), init_instance, 0);
}

size_t easel_remote_picture_get_type(void) { return picture_type; }

GtkWidget *easel_picture_new(void) { return easel_gtk.g_object_new(picture_type, NULL); }

GtkWidget *easel_remote_picture_new(const char *uri) {
  GtkWidget *widget = easel_picture_new();
  easel_picture_set_uri(widget, uri);
  return widget;
}

void *easel_picture_owner(GtkWidget *widget) {
  return picture_type && easel_gtk.g_type_check_instance_is_a(widget, picture_type) ? part_of(widget)->owner : NULL;
}

// MARK: State

bool easel_picture_is_mapped(GtkWidget *widget) { return easel_gtk.gtk_widget_get_mapped(widget); }

bool easel_picture_is_right_to_left(GtkWidget *widget) {
  return easel_gtk.gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL;
}

bool easel_picture_moves_allowed(GtkWidget *widget) {
  gboolean is_allowed = true;
  easel_gtk.g_object_get(easel_gtk.gtk_widget_get_settings(widget), "gtk-enable-animations", &is_allowed, NULL);
  return is_allowed;
}

bool easel_picture_is_drawn_by_cairo(GtkWidget *widget) {
  void *native = easel_gtk.gtk_widget_get_native(widget);
  void *renderer = native ? easel_gtk.gtk_native_get_renderer(native) : NULL;
  return renderer && !strcmp(easel_gtk.g_type_name_from_instance(renderer), "GskCairoRenderer");
}

int easel_picture_width(GtkWidget *widget) { return easel_gtk.gtk_widget_get_width(widget); }
int easel_picture_height(GtkWidget *widget) { return easel_gtk.gtk_widget_get_height(widget); }
int easel_picture_scale(GtkWidget *widget) { return easel_gtk.gtk_widget_get_scale_factor(widget); }
void easel_picture_redraw(GtkWidget *widget) { easel_gtk.gtk_widget_queue_draw(widget); }

void easel_picture_resize(GtkWidget *widget) {
  if (part_of(widget)->allocates) part_of(widget)->wants_resize = true;
  else easel_gtk.gtk_widget_queue_resize(widget);
}

void easel_picture_set_busy(GtkWidget *widget, bool is_busy) {
  easel_gtk.gtk_accessible_update_state(widget, GTK_ACCESSIBLE_STATE_BUSY, (int)is_busy, -1);
}

void easel_picture_set_class(GtkWidget *widget, const char *name, bool is_on) {
  if (is_on) easel_gtk.gtk_widget_add_css_class(widget, name);
  else easel_gtk.gtk_widget_remove_css_class(widget, name);
}

void easel_picture_set_overlay(GtkWidget *widget, GtkWidget *overlay, double share) {
  struct picture *self = part_of(widget);
  if (self->overlay) easel_gtk.gtk_widget_unparent(self->overlay);
  self->overlay = overlay;
  self->overlay_share = share;
  if (!overlay) return;
  easel_gtk.gtk_widget_set_parent(overlay, widget);
  easel_picture_resize(widget);
}

// MARK: Time and touch

static gboolean tick(GtkWidget *widget, GdkFrameClock *clock, void *data) {
  (void)data;
  struct picture *self = part_of(widget);
  self->ticks = hooks.tick(self->owner, easel_gtk.gdk_frame_clock_get_frame_time(clock));
  return self->ticks;
}

static void end_ticks(void *widget) { part_of(widget)->ticks = false; }

void easel_picture_start_ticks(GtkWidget *widget) {
  if (part_of(widget)->ticks || part_of(widget)->is_gone) return;
  part_of(widget)->ticks = true;
  easel_gtk.gtk_widget_add_tick_callback(widget, tick, widget, end_ticks);
}

static void click(GtkEventController *gesture, int presses, double x, double y, void *widget) {
  (void)gesture, (void)presses, (void)x, (void)y;
  hooks.activate(part_of(widget)->owner);
}

static gboolean press(
  GtkEventController *controller, unsigned key, unsigned code, unsigned modifiers, void *widget) {
  (void)controller, (void)code, (void)modifiers;
  // Return, Enter and the space bar.
  return (key == 0xff0d || key == 0xff8d || key == 0x20) && hooks.activate(part_of(widget)->owner);
}

void easel_picture_set_clickable(GtkWidget *widget, bool is_clickable) {
  struct picture *self = part_of(widget);
  if (is_clickable == (self->click != NULL)) return;
  easel_gtk.gtk_widget_set_focusable(widget, is_clickable);
  if (is_clickable) {
    self->click = easel_gtk.gtk_gesture_click_new();
    self->key = easel_gtk.gtk_event_controller_key_new();
    easel_gtk.g_signal_connect_data(self->click, "released", (void (*)(void))click, widget, NULL, 0);
    easel_gtk.g_signal_connect_data(self->key, "key-pressed", (void (*)(void))press, widget, NULL, 0);
    // The widget owns them now.
    easel_gtk.gtk_widget_add_controller(widget, self->click);
    easel_gtk.gtk_widget_add_controller(widget, self->key);
  } else {
    easel_gtk.gtk_widget_remove_controller(widget, self->click);
    easel_gtk.gtk_widget_remove_controller(widget, self->key);
    self->click = self->key = NULL;
  }
}
