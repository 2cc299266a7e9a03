/* workbench_dump: writes the screen to a file, as text or as an SVG picture, animated where the screen plays turns. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/files/new_file.h"
#include "draw/svg.h"
#include "ui/workbench_state.h"

static eb_code draw_text(eb_workbench *w, FILE *out, eb_status *status)
{
    return eb_canvas_dump(&w->canvas, out, status);
}

/* Frame k shows turn k; the last frame shows the whole report. */
static void draw_frame(void *context, size_t frame)
{
    eb_workbench *w = context;
    const bool last = frame == eb_overlay_frames(&w->overlay, w->layout.panel);
    w->overlay.place.turn = last ? NAN : (double)frame;
    eb_workbench_paint(w);
}

static eb_code draw_picture(eb_workbench *w, FILE *out, eb_status *status)
{
    const bool light = eb_workbench_theme(w) == EB_THEME_LIGHT;
    const double turn = w->overlay.place.turn;
    const size_t frames = eb_overlay_frames(&w->overlay, w->layout.panel);
    if (frames == 0)
        return eb_canvas_svg(&w->canvas, light, out, status);
    const eb_film film = {frames + 1, EB_TURN_S, draw_frame, w};
    eb_code failed = eb_canvas_film(&w->canvas, &film, light, out, status);
    w->overlay.place.turn = turn;
    eb_workbench_paint(w);
    return failed;
}

eb_code eb_workbench_dump(void *context, const char *path, eb_status *status)
{
    eb_workbench *w = context;
    eb_workbench_draw(w);
    eb_new_file *file;
    EB_TRY(eb_new_file_open(path, &file, status));
    size_t length = strlen(path);
    bool picture = length > 4 && strcmp(path + length - 4, ".svg") == 0;
    eb_code failed = (picture ? draw_picture : draw_text)(w, eb_new_file_stream(file), status);
    if (!failed)
        return eb_new_file_commit(file, status);
    failed = eb_fail_writing(path, errno, status);
    eb_new_file_abandon(file);
    return failed;
}
