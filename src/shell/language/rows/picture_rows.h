/* picture_rows: the command that draws pictures for papers; a part of command_rows.h. */
ROW(plot, "pl", "Shell", NULL, EB_BACKGROUND | EB_IMMEDIATE | EB_UNLOGGED,
    .summary = "Write a picture for a paper, or show it in the terminal",
    .detail =
        "Draws the last report that has a picture: curves, histograms, points, heat maps, bars of times, the roofline. "
        "In the workbench it draws the panel in front. All pictures of a report come one below another; a name chooses "
        "one.\n\n"
        "The end of the name decides: .svg, .png or .pdf. PNG and PDF need the library cairo (package libcairo2). A "
        "figure is 3.5 inches wide, one column of a paper, with text of 7 to 9 points; `wide` makes it 7 inches. PNG "
        "has 300 dots an inch.\n\n"
        "A name is a command, such as curve, or one of its pictures; `plot roof.svg roofline` draws the devices' "
        "limits and "
        "the runs below them. Lines differ by colour, dashes and signs, so that they differ in grey too.\n\n"
        "Without a file the plain prompt shows the picture: at the terminal's resolution if the terminal answers that "
        "it draws pictures (kitty's protocol or sixel), else in characters. An existing file is replaced under the "
        "same "
        "conditions as in `save`.",
    .examples = "curve; plot curve.svg\n"
                "info; plot values.svg values force\n"
                "clusters; plot noise.svg noise wide",
    .argument = {OPERAND("file", EB_ARG_FILE, .written = true, .choices = ".svg|.png|.pdf",
                         .help = "file to write: .svg, .png or .pdf"),
                 OPERAND("which", EB_ARG_TEXT, .fallback = "all of the last report",
                         .help = "a command, or the name of one of its pictures"),
                 ARGUMENT("wide", EB_ARG_FLAG, .help = "7 inches wide, two columns of a paper"), FORCE_ARGUMENT})
